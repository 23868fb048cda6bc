/** A stylesheet as text, minified by the build, for `adoptedStyleSheets`. */
declare module '*.css?inline' {
  const text: string;
  export { text as default };
}
