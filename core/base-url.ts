/** Checks an option that is an API's base URL; what the service tells begins with it. Throws a TypeError. */
export function checkBaseUrl(option: string, url: string): void {
  if (/^https?:\/\/[^/]/.test(url) && !url.endsWith('/')) return
  throw new TypeError(
    `expected ${option === 'ingestUrl' ? 'an' : 'a'} ${option} such as https://${option === 'ingestUrl' ? 'ingest' : 'portal'}.example.com, without a slash at its end, got ${JSON.stringify(url)}`,
  )
}
