import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections, logs } from '@countersign/core'
import { commit, createLedger, put } from '@countersign/core/ledger'
import {
  byNewKey,
  createManualClock,
  createMemoryStore,
  seededRandom,
} from '@countersign/core/testing'
import fc from 'fast-check'
import type { ChangeSet, Put } from '../../base/ports/store.ts'
import { awaitedSessions } from '../../content/awaited-records.ts'
import { type StoredSession, sessions } from '../../content/records.ts'
import type { Derive } from '../../kernel/ledger/ledger.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { withListColumns } from '../../sessions/list-columns.ts'
import { newSession } from '../../sessions/session-state.ts'
import { createWorld as createServiceWorld, send, span, start } from './world.ts'

const owner = { tenantId: 'ten_1', applicationId: 'app_1' }
const names = ['s-0', 's-1', 's-2'] as const

/** What a change set does; those of one list are one set. */
type Act =
  | { readonly does: 'open' | 'end'; readonly session: number }
  | { readonly does: 'store' | 'remove' | 'flag'; readonly session: number }
  | { readonly does: 'move'; readonly session: number; readonly to: number }

const session = fc.nat(names.length - 1)
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ does: fc.constantFrom('open' as const, 'end' as const), session }),
  fc.record({
    does: fc.constantFrom('store' as const, 'remove' as const, 'flag' as const),
    session,
  }),
  fc.record({ does: fc.constant('move' as const), session, to: session }),
)

function createWorld(derive: Derive) {
  const store = createMemoryStore({ collections, logs })
  const clock = createManualClock(start)
  const ledger = createLedger({ store, clock, random: seededRandom(1), derive })
  let cases = 0
  const rowsOf = () => ({
    stored: store.rows(sessions),
    cases: store.rows(reviewCases),
  })

  function newCase(sessionId: string): ReviewCase {
    const reviewCaseId = `rc_${String(++cases).padStart(26, '0')}`
    const more = {
      dataSubjectId: null,
      checkpointId: reviewCaseId,
      assigneeId: null,
      reviewTier: 'standard',
    }
    const key = { ...owner, sessionId, reviewCaseId, ...more, state: 'open' }
    return {
      ...key,
      overdueAt: null,
      duePlace: '',
      followUp: null,
      idleSince: null,
      expiresAt: start,
    } as unknown as ReviewCase
  }

  /** One set of these acts, of which those that write a row again are left out. */
  function setOf(acts: readonly Act[]): Omit<ChangeSet, 'tenant'> {
    const { stored, cases: held } = rowsOf()
    const puts: Put[] = []
    const removes: { in: string; key: readonly [string, ...string[]]; version: number }[] = []
    const written = new Set<string>()
    const once = (id: string) => !written.has(id) && written.add(id)
    for (const each of acts) {
      const sessionId = names[each.session] as string
      const was = stored.find(({ row }) => row.sessionId === sessionId)
      const open = held.find(({ row }) => row.sessionId === sessionId && row.state === 'open')
      if (each.does === 'open') puts.push(put(reviewCases, newCase(sessionId), null))
      else if (each.does === 'end') {
        if (open && once(open.row.reviewCaseId))
          puts.push(put(reviewCases, { ...open.row, state: 'decided' }, open))
      } else if (each.does === 'move') {
        const to = names[each.to] as string
        if (open && once(open.row.reviewCaseId))
          puts.push(put(reviewCases, { ...open.row, sessionId: to }, open))
      } else if (!once(sessionId)) continue
      else if (each.does === 'store' && !was) {
        const begun = { origin: 'otlp', startedAt: start, now: start } as const
        puts.push(put(sessions, newSession({ ...owner, sessionId }, begun), null))
      } else if (each.does === 'flag' && was)
        puts.push(put(sessions, { ...was.row, openFlags: 1 - was.row.openFlags }, was))
      else if (each.does === 'remove' && was) {
        const key = [owner.tenantId, owner.applicationId, sessionId] as const
        removes.push({ in: sessions.name, key, version: was.version })
      }
    }
    return { puts, removes }
  }

  return {
    act: (acts: readonly Act[]) =>
      ledger.execute(owner.tenantId, async () => commit(setOf(acts), null)),
    /** The columns as they are, and as the cases and flags would have them. */
    columns() {
      const { stored, cases: held } = rowsOf()
      const openOf = (id: string) =>
        held.filter(({ row }) => row.sessionId === id && row.state === 'open').length
      const known = new Set(stored.map(({ row }) => row.sessionId))
      const awaited = new Map(
        store.rows(awaitedSessions).map(({ row }) => [row.sessionId, row.openCases]),
      )
      const shown = ({ sessionId, openCases, underReview, flagged }: StoredSession) =>
        [sessionId, openCases, underReview, flagged] as const
      return {
        are: [stored.map(({ row }) => shown(row)), names.map((id) => awaited.get(id) ?? 0)],
        shouldBe: [
          stored.map(({ row: { sessionId, openFlags } }) => {
            const open = openOf(sessionId)
            return [sessionId, open, open > 0 ? 1 : 0, openFlags > 0 ? 1 : 0] as const
          }),
          names.map((id) => (known.has(id) ? 0 : openOf(id))),
        ],
      }
    },
  }
}

async function keepsColumns(derive: Derive, drawn: object = {}): Promise<void> {
  const sets = fc.array(fc.array(act, { minLength: 1, maxLength: 5 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(sets, async (all) => {
      const world = createWorld(derive)
      for (const acts of all) {
        await world.act(acts)
        const { are, shouldBe } = world.columns()
        assert.deepEqual(are, shouldBe)
      }
    }),
    { numRuns: 200, ...drawn },
  )
}

/** As it is but for what it does to the puts of a collection. */
const changing =
  (name: string, change: (each: Put) => readonly Put[]): Derive =>
  async (set, read) => {
    const made = await withListColumns(set, read)
    return { ...made, puts: (made.puts ?? []).flatMap((p) => (p.in === name ? change(p) : [p])) }
  }

describe('what lists of sessions filter by', () => {
  it('is what their cases and flags say, whatever is written together', async () => {
    await keepsColumns(withListColumns)
    const mutants: readonly Derive[] = [
      async (set) => set,
      changing(awaitedSessions.name, () => []),
      changing(sessions.name, (each) => [
        { ...each, row: { ...(each.row as StoredSession), flagged: 0 } },
      ]),
      changing(sessions.name, (each) => [
        { ...each, row: { ...(each.row as StoredSession), underReview: 1 } },
      ]),
    ]
    for (const [at, mutant] of mutants.entries())
      await assert.rejects(keepsColumns(mutant, { seed: 1 }), `mutant ${at}`)
  })

  it('misses no case that opens while its session comes', async () => {
    const waits: (() => void)[] = []
    let holding = true
    const slow: Derive = async (set, read) => {
      const made = await withListColumns(set, read)
      if (holding) await new Promise<void>((go) => waits.push(go))
      return made
    }
    for (const first of [0, 1]) {
      const world = createWorld(slow)
      holding = true
      const both = [
        world.act([{ does: 'open', session: 0 }]),
        world.act([{ does: 'store', session: 0 }]),
      ]
      while (waits.length < 2) await new Promise((go) => setImmediate(go))
      holding = false
      const [one, other] = first === 0 ? waits : waits.toReversed()
      one?.()
      await both[first]
      other?.()
      await Promise.all(both)
      waits.length = 0
      const { are, shouldBe } = world.columns()
      assert.deepEqual(are, shouldBe)
      assert.deepEqual(are[0], [['s-0', 1, 1, 0]])
    }
  })

  it('lets 120 cases of one session open at once', async () => {
    const { service, ...world } = await createServiceWorld()
    await send({ service, ...world }, span({ sessionId: 's-0' }))
    const { admin, owner } = world
    const application = await byNewKey(service, admin, owner.applicationId)
    const opened = await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        service.reviewCases.open(application, {
          sessionId: 's-0',
          checkpointId: `checkpoint-${at}`,
          reasonCategory: 'high_risk_action',
          presentation: { action: 'pay' },
          idempotencyKey: `opening-${at}`,
        }),
      ),
    )
    assert.deepEqual(
      opened.flatMap((each) => (each.ok ? [] : each.refusal.code)),
      [],
    )
    assert.deepEqual(
      world.rows(sessions).map(({ openCases }) => openCases),
      [120],
    )
  })
})
