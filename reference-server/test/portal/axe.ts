import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds wrong with what a page shows: a line for each rule and element. The page is of a context with
 * `bypassCSP`. Without `contrast`, colours are left out: where the browser forces them, axe sees those of the style.
 */
export async function axeOf(page: Page, contrast = true): Promise<readonly string[]> {
  // Half a megabyte, which a page that was looked at before has already.
  if (await page.evaluate(`!('axe' in window)`)) await page.evaluate(axe.source)
  const violations = await page.evaluate<readonly axe.Result[]>(`axe.run(document, {
    resultTypes: ['violations'],
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'color-contrast': { enabled: ${contrast} } },
  }).then(({ violations }) => violations)`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
  )
}
