// Types of what the two browser scripts put into a page (interface 4.7). Nothing is left of this
// file at run time.

/** What `window` has: `declare global { interface Window extends TributaryPage {} }` says so. */
export type TributaryPage = {
  Tributary?: { cmd: { push(command: (widget: TributaryWidget) => unknown): unknown } };
  TributaryAttribution?: TributaryAttribution;
};

/** What a command of the queue receives. Promises reject with a {@link WidgetError}. */
export type TributaryWidget = {
  /** Shows the widget for the user of the token. Resolves when their session is there. */
  boot(options: BootOptions): Promise<void>;
  /** All texts of the widget's language, each rule and the reward in words. */
  getLabels(): Promise<Record<string, string>>;
  /** null: there is nothing to invite to just now. */
  getLink(): Promise<{ ucc: string; link: string } | null>;
  open(): Promise<void>;
  close(): void;
  /** Gives the way to stop it. A listener outlives shutdown and the next boot. */
  on<E extends keyof WidgetEvents>(
    event: E,
    listener: (detail: WidgetEvents[E]) => void,
  ): () => void;
  /** Takes all away that boot brought. */
  shutdown(): void;
};

export type BootOptions = {
  /** Made and signed by your server: HS512, claims exactly productId, productUserId and iat. */
  token: string;
  productUserDetails: {
    firstName?: string;
    lastName?: string;
    fullName?: string;
    email?: string;
  };
  /** `de` or `pt-BR`. Absent: the page's, else the visitor's. */
  language?: string | undefined;
  direction?: 'ltr' | 'rtl' | undefined;
  /** Absent: floating, unless the page has a `<tributary-launcher>`. */
  launcher?: 'floating' | 'none' | undefined;
  /** Over the theme that the tenant has set. */
  theme?: WidgetTheme | undefined;
};

export type WidgetTheme = {
  light?: WidgetPalette;
  dark?: WidgetPalette;
  colourScheme?: 'auto' | 'light' | 'dark';
  /** CSS pixels, 0 to 32. */
  cornerRadius?: number;
  fontFamily?: string;
  launcherSide?: 'start' | 'end';
};

/** Colours such as `#0f4c44`. */
export type WidgetPalette = {
  accent?: string;
  onAccent?: string;
  surface?: string;
  onSurface?: string;
};

export type WidgetEvents = {
  open: undefined;
  close: undefined;
  /** The invite link went to the clipboard. */
  copied: { link: string };
};

/** Branch on `code`; new ones may appear. */
export type WidgetError = Error & { code: string };

/** `window.TributaryAttribution`; calls before the script has loaded wait in the stub. */
export type TributaryAttribution = {
  (method: 'getUcc'): Promise<string | undefined>;
  (method: 'getReferrerName'): Promise<string | undefined>;
  (method: 'getCampaignConfig'): Promise<CampaignConfig>;
  (method: 'requireConsent' | 'grantConsent' | 'revokeConsent'): Promise<void>;
};

/** Empty when no campaign is known. */
export type CampaignConfig = {
  campaignId?: string;
  /** For how many months the new user's discount lasts; 0 or absent: no discount. */
  newUserDiscountMonth?: number;
  /** A decimal fraction: 0.1 is 10 %. */
  newUserDiscountPercentage?: number;
};
