/** Whether these pages show the shared sandbox, whose paths begin so. */
const sandboxBase = '/sandbox'

export const isSandbox: boolean =
  location.pathname === sandboxBase || location.pathname.startsWith(`${sandboxBase}/`)

/** What each path of these pages begins with. */
export const base: string = isSandbox ? sandboxBase : ''

/** The address of one of these pages, such as `/queue`. */
export function to(path: string): string {
  return path === '/' ? base || '/' : `${base}${path}`
}

/** The page that `?to=` names; the first page for what is no path of this site. */
export function ownPath(given: string | undefined): string {
  if (given === undefined || !URL.canParse(given, location.origin)) return to('/')
  const { origin, pathname, search } = new URL(given, location.origin)
  return origin === location.origin && given.startsWith('/') ? pathname + search : to('/')
}
