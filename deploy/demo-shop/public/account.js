// The command queue: what is pushed before the widget has loaded runs when it has.
window.Tributary = window.Tributary || { cmd: [] };

window.Tributary.cmd.push(async (widget) => {
  const text = document.getElementById('invite-words');
  const boot = JSON.parse(document.getElementById('widget-boot').textContent);
  try {
    await widget.boot({ ...boot, launcher: 'floating' });
    const labels = await widget.getLabels();
    if (labels['reward.summary']) text.textContent = labels['reward.summary'];
  } catch (error) {
    // The widget says it in its own panel too; the page goes on without.
    text.textContent = error.message;
  }
});
