import type { Row } from './figure.ts'

/** Whether the median reaches its target; null without either. */
export function isMet({ median, target }: Row): boolean | null {
  if (median === null || target === null) return null
  return target.is === 'least' ? median >= target.reach : median <= target.reach
}

/** The rows as lines of text: figure, median, spread, target. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [
    ['figure', 'median', 'spread', 'reach', 'aim', ''],
    ...rows.map((row) => {
      const { figure, median, spread, target } = row
      const sign = target?.is === 'least' ? '≥' : '≤'
      return [
        figure,
        median === null ? 'null' : String(median),
        spread ? `${spread[0]} – ${spread[1]}` : '',
        target ? `${sign} ${target.reach}` : 'report',
        target ? String(target.aim) : '',
        row.reason ?? { true: 'met', false: 'not met', null: '' }[String(isMet(row)) as 'true'],
      ]
    }),
  ]
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...lines.map((line) => line[at]?.length ?? 0)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
