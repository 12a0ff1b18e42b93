const links = () => [...document.querySelectorAll<HTMLElement>('[data-row]')]

/** The focus goes to the next row, or the one before. */
export function stepThroughRows(by: 1 | -1): void {
  const all = links()
  const at = all.findIndex((link) => link.matches(':focus'))
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

/** The case of the row that has the focus. */
export function focusedRow(): string | undefined {
  return links().find((link) => link === document.activeElement)?.dataset.row
}
