import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MemberActor, SystemActor } from '../../kernel/callers/actor.ts'
import { openGroups } from '../../kernel/facade.ts'
import { type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { rowsBy } from '../../kernel/list.ts'
import { byKind, object } from '../../kernel/members.ts'
import { Afterwards, command, operationsWith } from '../../kernel/operation.ts'
import type { KernelPorts } from '../../kernel/ports.ts'
import { line, number, oneOf, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import type { Unit } from '../../kernel/unit.ts'
import { optionalEach, orNull } from '../../kernel/wrap.ts'

// What the compiler must refuse: each mistake is marked as an error, and a mark without an error does not compile.

const members = {
  tenantId: line(10),
  ruleId: line(10),
  applicationId: orNull(line(10)),
  metric: oneOf(['cases', 'steps']),
  since: time,
}
const declared = {
  name: 'rules',
  members,
  key: ['tenantId', 'ruleId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { keep: 'a test' },
  retain: { keep: 'a test' },
} as const
const rules = table(declared)
const gives = object({ ruleId: line(10), threshold: number })
const sound = {
  name: 'rules.make',
  doc: 'Make a rule',
  right: 'manageAlertRules',
  takes: { ruleId: line(10), metric: oneOf(['cases', 'steps']) },
  gives,
  refuses: ['not_found'],
} as const

/** Never called: only its types count. */
export async function plantedInReads(unit: Unit<MemberActor, 'not_found'>): Promise<void> {
  // @ts-expect-error: a part of the key is missing
  rules.get('t')
  // @ts-expect-error: a part of the key of another type
  rules.get('t', 3)
  // @ts-expect-error: no such index
  rules.by('byAplication', { tenantId: 't' })
  // @ts-expect-error: no such column
  rules.by('byApplication', { aplicationId: 'a' })
  // @ts-expect-error: a member that this index does not order
  rules.by('byApplication', { metric: 'cases' })
  const { rule } = await unit.ask({ rule: rules.get('t', 'r') })
  // @ts-expect-error: no such member
  assert.ok(rule?.row.sinse)
  // @ts-expect-error: times of rows are ms
  const since: string | undefined = rule?.row.since
  // @ts-expect-error: an unnamed refusal
  if (since) unit.refuse('forbidden', 'no')
  // @ts-expect-error: a row that lacks members
  unit.put(rules, { tenantId: 't', ruleId: 'r' })
}

/** Never called: only its types count. */
export const plantedInDeclarations = (): readonly unknown[] => [
  // @ts-expect-error: a misspelt right
  command({ ...sound, right: 'manageAlertRule', run: async () => ({ ruleId: 'r', threshold: 1 }) }),
  // @ts-expect-error: an unknown code
  command({ ...sound, refuses: ['not_fuond'], run: async () => ({ ruleId: 'r', threshold: 1 }) }),
  // @ts-expect-error: an answer that lacks a member
  command({ ...sound, run: async () => ({ ruleId: 'r' }) }),
  command({
    ...sound,
    async run(unit, { metric }) {
      // @ts-expect-error: not one of the values
      if (metric === 'case') unit.refuse('not_found', 'no such rule')
      // @ts-expect-error: a refusal that the operation does not name
      unit.refuse('version_conflict', 'no')
      return { ruleId: 'r', threshold: 1 }
    },
  }),
  table({
    ...declared,
    // @ts-expect-error: an index over a member that is not there
    indexes: { byName: ['name'] },
  }),
]

interface Tools {
  readonly seal: (text: string) => string
}
const { command: sealing, list: listing } = operationsWith<Tools>()
const making = sealing({ ...sound, run: async () => ({ ruleId: 'r', threshold: 1 }) })
const known = { ...sound, refuses: ['not_found', 'invalid_url'] } as const
type AnyUnit = Unit<MemberActor, 'not_found', Tools>
type StaffUnit = Unit<SystemActor, never>

/** Never called: only its types count. */
export const plantedInForms = (
  ports: KernelPorts,
  unit: AnyUnit,
  staff: StaffUnit,
): readonly unknown[] => [
  // @ts-expect-error: a tool that the room does not have
  unit.tools.open('a'),
  // @ts-expect-error: opened without the tools that its operations need
  openGroups({ rules: [making] }, ports, {}),
  openGroups({ rules: [making] }, ports, { seal: (text) => text }),
  // @ts-expect-error: no such caller
  sealing({ ...sound, by: 'members', run: async () => ({ ruleId: 'r', threshold: 1 }) }),
  sealing({
    ...sound,
    by: ['member', 'application'],
    // @ts-expect-error: applications have no role
    run: async ({ by }) => ({ ruleId: by.role, threshold: 1 }),
  }),
  // @ts-expect-error: no such feature of a plan
  sealing({ ...sound, feature: 'webhook', run: async () => ({ ruleId: 'r', threshold: 1 }) }),
  sealing({
    ...known,
    prepare: async ({ tools, refuse }, { ruleId }) => {
      // @ts-expect-error: a refusal that the operation does not name
      if (ruleId === '') refuse('forbidden', 'no')
      return { sealed: tools.seal(ruleId) }
    },
    // @ts-expect-error: nothing of this name was prepared
    run: async (_, { ruleId }, { opened }) => ({ ruleId: ruleId + opened, threshold: 1 }),
  }),
  sealing({
    ...sound,
    // @ts-expect-error: a refusal around the operation that it does not name
    around: async () => refuse('too_many_attempts', 'no'),
    run: async () => ({ ruleId: 'r', threshold: 1 }),
  }),
  // @ts-expect-error: a result that may refuse with a code that the operation does not name
  unit.orRefuse(refuse('version_conflict', 'no') as Result<string, 'version_conflict'>),
  // @ts-expect-error: data of another event
  unit.emit({ type: 'gdpr.legal_hold_placed', applicationId: null, data: { holdId: 'h' } }),
  // @ts-expect-error: no such event
  unit.emit({ type: 'gdpr.hold_placed', applicationId: null, data: {} }),
  // @ts-expect-error: the system acts for no organization, which must be named
  staff.audit('rule.made', 'r', {}),
  // @ts-expect-error: an answer after the commit that lacks a member
  sealing({ ...sound, run: async () => new Afterwards(async () => ({ ruleId: 'r' })) }),
  listing({
    ...{ name: 'rules.list', doc: 'List rules', right: 'readAlertRules', refuses: [] },
    ...{ filter: {}, items: 'rules', item: gives },
    source: ({ by: { tenantId } }) =>
      // @ts-expect-error: rows in another form
      rowsBy(rules, {
        by: 'key',
        where: { tenantId },
        cursor: 'ruleId',
        show: ({ ruleId }) => ({ ruleId }),
      }),
  }),
]

/** Never called: only its types count. */
export const plantedInShapes = (): readonly unknown[] => {
  const kinds = byKind('kind', { a: { size: number }, b: { name: line(10) } })
  const update = object(optionalEach({ name: line(10), size: number }))
  return [
    // @ts-expect-error: a member of another kind
    kinds.take({ kind: 'a', name: 'n' }),
    // @ts-expect-error: no such kind
    kinds.take({ kind: 'c', size: 1 }),
    // @ts-expect-error: an optional member of another type
    update.take({ size: 'large' }),
    update.take({}),
    // @ts-expect-error: a member that may be absent
    update.show({}).name.length,
  ]
}

describe('a table', () => {
  it('has the columns that its key, its indexes and its rules name, typed by their shapes', () => {
    const columns = { tenantId: 'text', ruleId: 'text', applicationId: 'text' } as const
    assert.deepEqual(rules.columns, columns)
    const more = table({ ...declared, columns: ['since'] })
    assert.deepEqual(more.columns, { ...columns, since: 'int' })
    const { since, ...others } = members
    assert.throws(
      () =>
        table({
          ...{ name: 'odd', members: { ...others, since: number }, key: ['since'] },
          ...{ indexes: {}, tenant: 'system', purge: { keep: '' }, retain: { keep: '' } },
        }),
      /table odd: expected text or whole numbers in since/,
    )
    assert.equal(since.column, 'int')
  })

  it('is plain data to whoever copies it', () => {
    const { members: _, ...collection } = declared
    assert.deepEqual(structuredClone(rules), { ...collection, columns: rules.columns })
  })
})
