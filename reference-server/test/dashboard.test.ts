import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openMetered } from './metrics-world.ts'
import { root } from './readme-blocks.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly datasource?: { readonly uid: string }
  readonly targets?: readonly {
    readonly refId: string
    readonly expr: string
    readonly legendFormat: string
  }[]
}
interface Dashboard {
  readonly schemaVersion: number
  readonly uid: string
  readonly title: string
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string }[]
  }
  readonly panels: readonly Panel[]
}

const text = readFileSync(join(root, 'reference-server/deploy/grafana-dashboard.json'), 'utf8')
const dashboard: Dashboard = JSON.parse(text)
const queries = (of: Dashboard) => of.panels.flatMap(({ targets = [] }) => targets)

/** What a server measures: its metrics by every name that they are asked by, with their labels. */
async function measured(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = () => ({ databaseBytes: 1, walBytes: 1, freeDiskBytes: 1 })
  const { metrics } = await openMetered(files)
  const all = metrics.registry.getMetricsAsArray() as unknown as readonly {
    readonly name: string
    readonly labelNames?: readonly string[]
    readonly buckets?: unknown
  }[]
  return new Map(
    all.flatMap(({ name, labelNames = [], buckets }) => {
      // `instance` is what the scrape adds.
      const labels = new Set([...labelNames, 'instance'])
      if (buckets === undefined) return [[name, labels] as const]
      const whole = (suffix: string) => [`${name}_${suffix}`, labels] as const
      return [[`${name}_bucket`, new Set([...labels, 'le'])] as const, whole('sum'), whole('count')]
    }),
  )
}

/** What is asked of a server that does not tell it. */
async function unknownIn(of: Dashboard): Promise<readonly string[]> {
  const known = await measured()
  return queries(of).flatMap(({ expr, legendFormat }) => {
    const [name = '', ...more] = expr.match(/\bcountersign_[a-z_]+/g) ?? []
    const labels = known.get(name)
    if (labels === undefined || more.length > 0) return [`metric of ${expr}`]
    const selected = [...expr.matchAll(/([a-z_]+)(?==~|!~|!=|=)/g)].map(([, label = '']) => label)
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(', '),
    )
    const shown = [...legendFormat.matchAll(/{{(.*?)}}/g)].map(([, label = '']) => label)
    return [...selected, ...grouped, ...shown]
      .filter((label) => !labels.has(label))
      .concat(grouped.length > 0 ? shown.filter((label) => !grouped.includes(label)) : [])
      .map((label) => `label ${label} of ${expr}`)
  })
}

/** Panels that lie on one another. */
function overlapsIn({ panels }: Dashboard): readonly string[] {
  const meet = (a: Panel['gridPos'], b: Panel['gridPos']) =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
  return panels.flatMap((a, at) =>
    panels
      .slice(at + 1)
      .filter((b) => meet(a.gridPos, b.gridPos))
      .map((b) => `${a.title} and ${b.title}`),
  )
}

test('the dashboard asks for metrics and labels that a server tells', async () => {
  assert.ok(queries(dashboard).length > 20)
  assert.deepEqual(await unknownIn(dashboard), [])
  for (const [was, wrong] of [
    ['countersign_outbox_depth', 'countersign_outbox_depths'],
    ['sum by (result)', 'sum by (results)'],
    ['part=\\"free_disk\\"', 'parts=\\"free_disk\\"'],
    ['"{{class}}"', '"{{kind}}"'],
    ['commit_duration_seconds_bucket', 'commit_duration_seconds'],
  ] as const) {
    assert.ok(text.includes(was), was)
    assert.notDeepEqual(await unknownIn(JSON.parse(text.replaceAll(was, wrong))), [], wrong)
  }
})

test('the dashboard shows every metric of the README, and the alerts', () => {
  const readme = readFileSync(join(root, 'reference-server/README.md'), 'utf8')
  const asked = queries(dashboard)
    .map(({ expr }) => expr)
    .join('\n')
  for (const [, name = ''] of readme.matchAll(/^\| `(countersign_[a-z_]+)` \|/gm))
    assert.match(asked, new RegExp(`\\b${name}(?:_bucket|_count)?\\{`), name)
})

test('the dashboard is one that Grafana imports: ids once, places apart, one data source', () => {
  assert.ok(dashboard.schemaVersion >= 36)
  assert.ok(dashboard.uid.length <= 40 && dashboard.title !== '')
  const ids = dashboard.panels.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const { type, title, gridPos, datasource, targets = [] } of dashboard.panels) {
    assert.ok(gridPos.x >= 0 && gridPos.x + gridPos.w <= 24 && gridPos.h > 0, title)
    if (type === 'row') continue
    // Nothing of the installation that it was made on.
    assert.match(datasource?.uid ?? '', /^\$\{datasource\}$/, title)
    assert.ok(targets.length > 0, title)
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
  }
  const variables = new Set(dashboard.templating.list.map(({ name }) => `$${name}`))
  for (const { expr } of queries(dashboard))
    for (const [used] of expr.matchAll(/\$(?!__)\w+/g)) assert.ok(variables.has(used), expr)
  assert.deepEqual(overlapsIn(dashboard), [])
  const [first] = dashboard.panels
  assert.ok(first)
  assert.notDeepEqual(overlapsIn({ ...dashboard, panels: [...dashboard.panels, first] }), [])
})
