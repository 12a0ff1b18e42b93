import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideLifecycle, type LifecycleCommand } from '../../../applications/lifecycle.ts'
import type { Application } from '../../../applications/records.ts'
import type { LifecycleState } from '../../../applications/view.ts'
import { tableUnder } from '../../docs/interface.ts'

const now = 1_000_000
const states: readonly LifecycleState[] = ['active', 'pending_deletion', 'purging', 'purged']
const commands = ['request_deletion', 'cancel_deletion', 'begin_purge', 'finish_purge'] as const

function applicationIn(lifecycleState: LifecycleState, purgeAt: number): Application {
  const deletion = { requestedAt: 1, requestedBy: 'member:mem_1', purgeAt, blockedByHold: false }
  return {
    tenantId: 'ten_1',
    applicationId: 'app_1',
    name: 'Claims',
    description: 'about claims',
    stage: 'staging',
    lifecycleState,
    outcomeCallback: null,
    settings: { governanceThreshold: 80, qualityThreshold: null },
    version: 3,
    createdAt: 1,
    updatedAt: 2,
    ...(lifecycleState === 'pending_deletion' || lifecycleState === 'purging' ? { deletion } : {}),
  }
}

function commandOf(type: (typeof commands)[number], held: boolean): LifecycleCommand {
  switch (type) {
    case 'request_deletion':
      return { type, by: 'member:mem_1', purgeAt: now + 1, held }
    case 'begin_purge':
      return { type, held }
    default:
      return { type }
  }
}

/** What the machine does, in the words of the table's last column. */
function outcomeOf(from: Application, command: LifecycleCommand): string {
  const decided = decideLifecycle(from, command, now)
  if (!decided.ok) {
    const { code } = decided.refusal
    return code === 'invalid_transition' ? 'none' : `409 \`${code}\``
  }
  const { lifecycleState, deletion } = decided.value
  if (decided.value === from) return `${lifecycleState}, unchanged`
  return deletion?.blockedByHold ? `${lifecycleState}, \`blockedByHold\`` : lifecycleState
}

/** Whether the guard of a row lets the facts pass. */
function allows(guard: string, facts: { readonly held: boolean; readonly due: boolean }): boolean {
  return guard
    .split(', ')
    .filter((each) => each !== '')
    .every((each) => {
      switch (each) {
        case 'held':
          return facts.held
        case 'not held':
          return !facts.held
        case '`purgeAt` has come':
          return facts.due
        default:
          throw new Error(`the guard ${JSON.stringify(each)} is not known to this test`)
      }
    })
}

describe('the life of an application', () => {
  const rows = tableUnder('Application lifecycle')

  it('is the table in core/docs/interface.md, and nothing else', () => {
    const used = new Set<object>()
    for (const from of states)
      for (const type of commands)
        for (const held of [false, true])
          for (const due of [false, true]) {
            const application = applicationIn(from, due ? now : now + 1)
            const fits = rows.filter(
              (row) =>
                row.From === from && row.Command === type && allows(row.Guard ?? '', { held, due }),
            )
            assert.ok(fits.length <= 1, `two rows fit ${from} ${type}`)
            const [row] = fits
            if (row) used.add(row)
            const what = `${from} ${type}, held ${held}, due ${due}`
            assert.equal(outcomeOf(application, commandOf(type, held)), row?.To ?? 'none', what)
          }
    assert.equal(used.size, rows.length, 'a row fits nothing')
  })

  it('comes back from a cancelled deletion as it was, but for its version', () => {
    const was = applicationIn('active', now)
    const pending = decideLifecycle(was, commandOf('request_deletion', false), now)
    assert.ok(pending.ok)
    const back = decideLifecycle(pending.value, { type: 'cancel_deletion' }, now + 5)
    assert.ok(back.ok)
    assert.deepEqual(back.value, { ...was, deletion: null, version: 5, updatedAt: now + 5 })
  })

  it('ends in a tombstone that keeps nothing of it', () => {
    const purged = decideLifecycle(applicationIn('purging', now), { type: 'finish_purge' }, now)
    assert.ok(purged.ok)
    assert.deepEqual(purged.value, {
      tenantId: 'ten_1',
      applicationId: 'app_1',
      name: '',
      stage: null,
      lifecycleState: 'purged',
      outcomeCallback: null,
      version: 4,
      createdAt: 0,
      updatedAt: 0,
      purgedAt: now,
    })
  })
})
