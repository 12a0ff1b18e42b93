let found: string | null = null

/**
 * The token behind the `#` of a link that a mail brought. It leaves the address at once, so that no history, bookmark or
 * screenshot has it; it is answered again until the page is left.
 */
export function takeToken(): string | null {
  const given = location.hash.slice(1)
  if (given !== '') {
    found = given
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return found
}
