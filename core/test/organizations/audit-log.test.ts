import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { audit } from '@countersign/core/ledger'
import fc from 'fast-check'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import type { AuditQuery } from '../../organizations/index.ts'
import { code, type Fixture, value } from './access/fixture.ts'
import { createFixture } from './fixture.ts'

const entryAt = (at: number) => ({
  at: new Date(Date.UTC(2026, 0, 2) + at * 1_000).toISOString(),
  actor: `member:mem_${at % 3}`,
  action: `thing.${at % 5}`,
  subject: `thing_${at % 7}`,
  detail: { at },
})

/** Behind what the fixture did, so many entries. */
async function withEntries(count: number) {
  const fixture = await createFixture()
  const { tenantId, store } = fixture
  const appends = Array.from({ length: count }, (_, at) => audit(tenantId, entryAt(at)))
  await store.commit({ tenant: null, appends })
  return { ...fixture, before: (await fixture.audited()).length - Math.min(count, 1000) }
}

const page = { page: 1, pageSize: 20 }

async function pageOf({ service }: Pick<Fixture, 'service'>, by: MemberActor, asked: AuditQuery) {
  const part = value(await service.auditLog.list(by, asked))
  if (!('entries' in part)) throw new Error('expected a page')
  return part
}

describe('the audit log', () => {
  it('is read by pages, the newest first, in a chain that anyone can compute', async () => {
    const fixture = await withEntries(30)
    const { rob, audited } = fixture
    const all = await audited()
    const [first, second, third] = [
      await pageOf(fixture, rob, page),
      await pageOf(fixture, rob, { ...page, page: 2 }),
      await pageOf(fixture, rob, { ...page, page: 3 }),
    ]
    const read = [...first.entries, ...second.entries, ...third.entries]
    assert.equal(first.totalCount, all.length)
    assert.deepEqual(
      read.map(({ position }) => position),
      all.map((_, at) => all.length - at),
    )
    for (const [at, entry] of read.entries()) {
      const { position, previousHash, hash, ...own } = entry
      assert.deepEqual(own, all[position - 1])
      assert.equal(previousHash, read[at + 1]?.hash ?? '0'.repeat(64))
      const chained = createHash('sha256').update(Buffer.from(previousHash, 'hex'))
      assert.equal(chained.update(JSON.stringify(own)).digest('hex'), hash)
    }
    const behind = { ...page, before: 11, pageSize: 4 }
    const earlier = await pageOf(fixture, rob, behind)
    assert.deepEqual(
      [earlier.totalCount, ...earlier.entries.map(({ position }) => position)],
      [10, 10, 9, 8, 7],
    )
  })

  it('is filtered as a filter of all entries would', async () => {
    const fixture = await withEntries(700)
    const { ada, audited } = fixture
    const all = (await audited()) as unknown as readonly ReturnType<typeof entryAt>[]
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
    const time = fc.nat({ max: 800 }).map((at) => Date.UTC(2026, 0, 2) + at * 1_000)
    const filters = fc.record({
      actor: optional(fc.nat({ max: 3 }).map((at) => `member:mem_${at}`)),
      action: optional(fc.nat({ max: 5 }).map((at) => `thing.${at}`)),
      subject: optional(fc.nat({ max: 7 }).map((at) => `thing_${at}`)),
      from: optional(time),
      until: optional(time),
    })
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.option(fc.integer({ min: 1, max: 800 })),
        fc.integer({ min: 1, max: 3 }),
        async (drawn, before, number) => {
          const filter = Object.fromEntries(
            Object.entries(drawn).filter(([, given]) => given !== undefined),
          ) as AuditQuery
          const { actor, action, subject, from, until } = filter
          const fitting = all
            .map((entry, at) => ({ entry, position: at + 1 }))
            .filter(({ entry, position }) => {
              const at = Date.parse(entry.at)
              return (
                (before === null || position < before) &&
                (actor ?? entry.actor) === entry.actor &&
                (action ?? entry.action) === entry.action &&
                (subject ?? entry.subject) === entry.subject &&
                (from ?? at) <= at &&
                at < (until ?? Number.POSITIVE_INFINITY)
              )
            })
            .map(({ position }) => position)
            .toReversed()
          const query = {
            page: number,
            pageSize: 15,
            ...(before !== null && { before }),
            ...filter,
          }
          const told = await pageOf(fixture, ada, query)
          assert.equal(told.totalCount, fitting.length)
          assert.deepEqual(
            told.entries.map(({ position }) => position),
            fitting.slice((number - 1) * 15, number * 15),
          )
          assert.equal(told.scannedTo, null)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('looks at 10,000 entries for a filter, and says where it stopped', async () => {
    const fixture = await withEntries(20_000)
    const { ada } = fixture
    const filter = { action: 'tenant.created' }
    const positions = []
    const stops: (number | null)[] = []
    for (let before: number | null = null; ; ) {
      const told = await pageOf(fixture, ada, {
        ...page,
        ...(before !== null && { before }),
        ...filter,
      })
      positions.push(...told.entries.map(({ position }) => position))
      stops.push(told.scannedTo)
      before = told.scannedTo
      if (before === null) break
    }
    assert.deepEqual(positions, [1])
    assert.equal(stops.length, 3)
    assert.equal(stops[0], (stops[1] ?? 0) + 10_000)
  })

  it('is refused beyond a page of 100', async () => {
    const { service, ada } = await createFixture()
    const asked = await service.auditLog.list(ada, { ...page, pageSize: 101 })
    assert.equal(code(asked), 'invalid_request')
  })
})
