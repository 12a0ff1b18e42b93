import { UsageError } from './usage-error.ts'

/** The URL that was given as `name`; throws a UsageError when it is none of http or https. */
export function httpUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new UsageError(`${name} expected a URL with http or https, got ${text}`)
}
