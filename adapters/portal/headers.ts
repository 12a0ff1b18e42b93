/** What the pages may load, run and reach: their own origin alone, no script or style in the text of a page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Headers of each answer of the site. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Headers of a page that names the digests of its own script and style: its policy, and that nobody frames it. */
export function headersOfWholePage(html: string): Readonly<Record<string, string>> {
  const [, own] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
  if (own === undefined) throw new Error('expected a policy in the page that verifies evidence')
  return { ...safetyHeaders, 'Content-Security-Policy': `${own}; frame-ancestors 'none'` }
}
