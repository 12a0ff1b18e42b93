import { useLocation } from 'preact-iso'

/** What a list is narrowed down to. It stands in the address, so that a link or a reload shows the same. */
export interface Filters {
  readonly of: Readonly<Record<string, string | undefined>>
  /** The address with other filters; undefined takes one away. */
  hrefWith(changes: Readonly<Record<string, string | undefined>>): string
  /** Goes there, in place of the address that was. */
  set(changes: Readonly<Record<string, string | undefined>>): void
}

/** The filters of the page that is shown. */
export function useFilters(): Filters {
  const { path, query, route } = useLocation()
  const hrefWith: Filters['hrefWith'] = (changes) => {
    const kept = Object.entries({ ...query, ...changes }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    )
    return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`
  }
  return { of: query, hrefWith, set: (changes) => route(hrefWith(changes), true) }
}

/** A moment as a field of date and time takes it, in the reader's time zone, to the minute; empty for none. */
export function localOf(iso: string | undefined): string {
  const at = new Date(iso ?? '')
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** A moment that was entered, in ISO 8601; undefined where nothing was. */
export function isoOf(local: string): string | undefined {
  const at = new Date(local)
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
