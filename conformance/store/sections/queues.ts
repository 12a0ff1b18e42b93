import type { Lane } from '@countersign/core/ports'
import { expect, expectEqual } from '../../assert.ts'
import { jobs } from '../collections.ts'
import { everything } from '../everything.ts'
import { createStoreModel } from '../model.ts'
import { job, type Section } from '../section.ts'

/** Lanes, claims, leases and the token that fences a late settle. */
export function queues({ fresh }: Section): void {
  fresh('40 claims at once give each row to one owner', async (store) => {
    await store.commit({
      tenant: null,
      puts: Array.from({ length: 90 }, (_, at) => ({
        in: jobs.name,
        row: job(`lane ${at % 3}`, at, { due: at }),
        was: null,
      })),
    })
    const claimed = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        store.claim({
          in: jobs.name,
          asks: [0, 1, 2].map((lane) => ({ lane: `lane ${(at + lane) % 3}`, take: 1 })),
          now: 100,
          leaseUntil: 200,
          owner: `owner ${at}`,
        }),
      ),
    )
    const numbers = claimed.flat().map(({ row }) => (row as { number: number }).number)
    expectEqual(numbers.length, 90, 'rows claimed')
    expectEqual(new Set(numbers).size, 90, 'distinct rows claimed')
    expectEqual(
      await store.lanes({ in: jobs.name, now: 199, after: '', take: 9 }),
      [],
      'lanes with due work while the leases last',
    )
    expectEqual(await store.nextDue({ in: jobs.name }), 200, 'when the leases end')
  })

  fresh('a claim serves 300 lanes, and hundreds of rows of one', async (store) => {
    const model = createStoreModel()
    const lane = (at: number) => `lane ${String(at).padStart(3, '0')}`
    const puts = [
      ...Array.from({ length: 330 }, (_, at) => job(lane(at % 300), at, { due: 900 - at })),
      ...Array.from({ length: 300 }, (_, at) => job('one', at, { due: (at * 7) % 11 })),
    ].map((row) => ({ in: jobs.name, row, was: null }))
    expectEqual(
      await store.commit({ tenant: null, puts }),
      model.commit({ tenant: null, puts }),
      'the set',
    )
    const scan = { in: jobs.name, now: 2_000, take: 1_000 }
    for (const after of ['', lane(7), lane(298)])
      expectEqual(
        await store.lanes({ ...scan, after }),
        model.lanes({ ...scan, after }),
        `lanes behind ${JSON.stringify(after)}`,
      )
    const paged: Lane[] = []
    for (let after = ''; ; ) {
      const page = await store.lanes({ ...scan, after, take: 64 })
      paged.push(...page)
      const last = page.at(-1)
      if (!last) break
      after = last.lane
    }
    expectEqual(paged.length, 301, 'lanes in pages of 64')
    const claim = { in: jobs.name, now: 2_000, leaseUntil: 3_000, owner: 'me' }
    for (const asks of [
      Array.from({ length: 300 }, (_, at) => ({ lane: lane(299 - at), take: 2 })),
      [{ lane: 'one', take: 290 }],
      [
        { lane: 'one', take: 1_000 },
        { lane: lane(5), take: 1_000 },
      ],
    ])
      expectEqual(
        await store.claim({ ...claim, asks }),
        model.claim({ ...claim, asks }),
        `what ${asks.length} asks claimed`,
      )
    expectEqual(await everything(store, model), [], 'the store after it')
  })

  fresh('claims, settles and clocks of one lane go as the model says', async (store) => {
    const nothing = { in: jobs.name, now: 0, after: '', take: 9 }
    expectEqual(await store.nextDue(nothing), null, 'next due of an empty queue')
    expectEqual(await store.lanes(nothing), [], 'lanes of an empty queue')
    const model = createStoreModel()
    const rows = [
      job('l', 1, { due: 0 }),
      job('l', 2, { due: 5 }),
      job('l', 3, { due: 5 }),
      job('l', 10, { due: 5 }),
      job('l', 4, { due: null }),
      job('l', 5, { due: -3 }),
      job('L', 1, { due: 5 }),
      job('l ', 1, { due: 4 }),
      job('l2', 1, { due: 4, tenantId: 't2', claims: 7 }),
    ]
    const puts = rows.map((row) => ({ in: jobs.name, row, was: null }))
    expectEqual(
      await store.commit({ tenant: null, puts }),
      model.commit({ tenant: null, puts }),
      'the set',
    )
    for (let now = 0; now < 44; now++) {
      const scan = { in: jobs.name, now, after: '', take: 9 }
      expectEqual(await store.lanes(scan), model.lanes(scan), `lanes at ${now}`)
      const asks = [
        { lane: 'l', take: now % 3 },
        { lane: 'l2', take: 1 },
        { lane: 'nobody', take: 1 },
      ]
      const claim = { in: jobs.name, asks, now, leaseUntil: now + 6, owner: `owner ${now % 3}` }
      const claimed = model.claim(claim)
      expectEqual(await store.claim(claim), claimed, `claimed at ${now}`)
      const [first] = claimed
      if (first && now % 2 === 0) {
        const row = { ...(first.row as object), due: now % 4 ? null : now + 9, result: 'done' }
        const set = { tenant: null, puts: [{ in: jobs.name, row, was: first }] }
        expectEqual(await store.commit(set), model.commit(set), `a settle at ${now}`)
      }
      expectEqual(
        await store.nextDue({ in: jobs.name }),
        model.nextDue('jobs'),
        `next due at ${now}`,
      )
    }
    expectEqual(await everything(store, model), [], 'the store after it')
  })

  fresh('rows come in order of due, and none before its time', async (store) => {
    const dues = [30, 10, 20, 10, null, 21]
    await store.commit({
      tenant: null,
      puts: dues.map((due, number) => ({
        in: jobs.name,
        row: job('l', number, { due }),
        was: null,
      })),
    })
    const claimed = await store.claim({
      in: jobs.name,
      asks: [{ lane: 'l', take: 9 }],
      now: 20,
      leaseUntil: 50,
      owner: 'me',
    })
    expectEqual(
      claimed.map(({ row }) => (row as { number: number }).number),
      [1, 3, 2],
      'numbers of the rows claimed',
    )
  })

  fresh(
    'a lease that ends lets the next claim in, and fences the first owner out',
    async (store) => {
      await store.commit({ tenant: null, puts: [{ in: jobs.name, row: job('l', 1), was: null }] })
      const claim = (now: number, owner: string) =>
        store.claim({
          in: jobs.name,
          asks: [{ lane: 'l', take: 1 }],
          now,
          leaseUntil: now + 10,
          owner,
        })
      const [first] = await claim(0, 'one')
      expectEqual(await claim(9, 'two'), [], 'a claim before the end')
      const [second] = await claim(10, 'two')
      expect(first !== undefined && second !== undefined, 'a claim found no row')
      expectEqual([first.version, second.version], [2, 3], 'tokens')
      const settle = (was: typeof first, result: string) =>
        store.commit({
          tenant: null,
          puts: [{ in: jobs.name, row: { ...(was.row as object), due: null, result }, was }],
        })
      expectEqual(
        await settle(first, 'late'),
        { committed: false, conflicts: [{ kind: 'version', in: 'jobs', key: ['l', 1], now: 3 }] },
        'a late settle',
      )
      expectEqual(await settle(second, 'done'), { committed: true, ranges: [] }, 'a settle')
      const [found] = await store.read(null, [{ get: jobs.name, key: ['l', 1] }])
      expectEqual(
        found?.rows[0],
        { row: job('l', 1, { due: null, claims: 2, result: 'done' }), version: 4, leasedBy: null },
        'the row',
      )
    },
  )

  fresh('a claim and a settle of one row at once: one of them', async (store) => {
    for (let round = 0; round < 10; round++) {
      const row = job('l', round)
      await store.commit({
        tenant: null,
        puts: [{ in: jobs.name, row, was: null, leasedBy: 'one' }],
      })
      const was = { row, version: 1, leasedBy: 'one' }
      const settle = () =>
        store.commit({ tenant: null, puts: [{ in: jobs.name, row: { ...row, due: null }, was }] })
      const claim = () =>
        store.claim({
          in: jobs.name,
          asks: [{ lane: 'l', take: 1 }],
          now: 1,
          leaseUntil: 9,
          owner: 'two',
        })
      const [claimed, settled] = await (round % 2
        ? Promise.all([claim(), settle()])
        : Promise.all([settle(), claim()]).then(
            ([settled, claimed]) => [claimed, settled] as const,
          ))
      expect(
        settled.committed ? claimed.length === 0 : claimed.length === 1,
        'a row was both settled and claimed, or neither',
      )
      if (!settled.committed)
        await store.commit({
          tenant: null,
          removes: [{ in: jobs.name, key: ['l', round], version: 2 }],
        })
    }
  })

  fresh('lanes come in their order behind a cursor, each with its first row', async (store) => {
    const names = ['b', 'a', '\ufffd', '\u{1f600}', 'c']
    await store.commit({
      tenant: null,
      puts: names.flatMap((lane, at) => [
        { in: jobs.name, row: job(lane, 1, { due: 50 + at, tenantId: 't1' }), was: null },
        { in: jobs.name, row: job(lane, 2, { due: 10 + at, tenantId: 't2' }), was: null },
      ]),
    })
    const page = async (after: string, now = 13) =>
      (await store.lanes({ in: jobs.name, now, after, take: 2 })).map(({ lane }) => lane)
    expectEqual(await page(''), ['a', 'b'], 'the first page')
    expectEqual(await page('b'), ['\ufffd', '\u{1f600}'], 'the next: "c" is not due yet')
    expectEqual(await page('\u{1f600}'), [], 'the last')
    expectEqual(
      await store.lanes({ in: jobs.name, now: 13, after: 'a', take: 1 }),
      [{ lane: 'b', tenant: 't2', due: 10 }],
      'a lane with the tenant and due time of its first row',
    )
    expectEqual(await store.nextDue({ in: jobs.name }), 10, 'the next due time')
  })
}
