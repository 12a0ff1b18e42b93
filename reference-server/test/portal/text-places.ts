import type { Page } from 'playwright-core'

/** Runs in the page, of which there are no types here. */
const look = `(() => {
  const texts = []
  const wrong = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement
    if (node.data.trim() === '' || !element.checkVisibility()) continue
    if (element.closest('.skip, .unseen, legend, thead, option')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const said = node.data.trim().slice(0, 40)
    for (const rect of range.getClientRects())
      if (rect.width > 1 && rect.height > 1) texts.push({ element, rect, said })
    for (let box = element; box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box)
      const isWide = /hidden|clip/.test(overflowX) && box.scrollWidth > box.clientWidth + 1
      const isTall = /hidden|clip/.test(overflowY) && box.scrollHeight > box.clientHeight + 1
      if (isWide || isTall) wrong.add('cut: ' + said)
    }
  }
  const lies = (element) => element.closest('.decide, main > .news')
  for (const [at, one] of texts.entries())
    for (const other of texts.slice(at + 1)) {
      // What sticks to an edge of the window lies over what is scrolled below it.
      if (one.element === other.element || lies(one.element) !== lies(other.element)) continue
      const [a, b] = [one.rect, other.rect]
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      if (width > 2 && height > Math.min(a.height, b.height) / 3)
        wrong.add(one.said + ' / ' + other.said)
    }
  // On narrow screens the heading of a cell is content of the style, which has no place of its own.
  for (const cell of document.querySelectorAll('td'))
    if (cell.checkVisibility() && cell.scrollHeight > cell.clientHeight + 2)
      wrong.add('longer than its cell: ' + cell.dataset.head)
  for (const control of document.querySelectorAll('input, select, textarea')) {
    if (!control.checkVisibility()) continue
    control.focus({ focusVisible: true })
    const { outlineWidth, outlineOffset } = getComputedStyle(control)
    const room = parseFloat(outlineWidth) + parseFloat(outlineOffset)
    const box = control.getBoundingClientRect()
    for (const { element, rect, said } of texts)
      if (element.closest('label') && [...control.labels].includes(element.closest('label')))
        if (rect.bottom - rect.height * 0.15 > box.top - room && rect.top < box.bottom + room &&
            rect.right > box.left - room && rect.left < box.right + room)
          wrong.add('under the ring of its control: ' + said)
  }
  return [...wrong]
})()`

/**
 * What can not be read of a page: texts that lie over each other or are cut, and labels that the ring around their control
 * with the focus lies over.
 */
export const unreadable = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(look)
