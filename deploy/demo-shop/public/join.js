// Calls made before the attribution script has loaded wait in the documented queue.
window.TributaryAttribution =
  window.TributaryAttribution ||
  function (method) {
    var a = [].slice.call(arguments, 1),
      q = (window.TributaryAttribution.q = window.TributaryAttribution.q || []);
    return new Promise(function (s, f) {
      q.push([method, a, s, f]);
    });
  };

/** Who invited, and what a friend saves, as far as the service may tell. */
async function showInvitation() {
  if ((await window.TributaryAttribution('getUcc')) === undefined) return;
  const [name, config] = await Promise.all([
    window.TributaryAttribution('getReferrerName'),
    window.TributaryAttribution('getCampaignConfig'),
  ]);
  const { newUserDiscountPercentage: part = 0, newUserDiscountMonth: months = 0 } = config ?? {};
  const invited = `${name ?? 'A friend'} invited you.`;
  const saving = months > 0 ? ` ${Math.round(part * 1000) / 10} % off for ${months} months.` : '';
  const invitation = document.getElementById('invitation');
  invitation.textContent = invited + (part > 0 ? saving : '');
  invitation.hidden = false;
}

void showInvitation();
