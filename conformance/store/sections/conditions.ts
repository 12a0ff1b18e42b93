import type { Read, Where } from '@countersign/core/ports'
import { expectEqual } from '../../assert.ts'
import { notes } from '../collections.ts'
import { createStoreModel } from '../model.ts'
import { note, type Section } from '../section.ts'
import { compareReads } from './sizes.ts'

const ranks = [
  null,
  Number.MIN_SAFE_INTEGER,
  -(2 ** 31) - 1,
  -10,
  -9,
  -1,
  0,
  1,
  9,
  10,
  2 ** 24,
  2 ** 24 + 1,
  2 ** 24 + 2,
  2 ** 24 + 3,
  2 ** 31,
  2 ** 32 + 1,
  Number.MAX_SAFE_INTEGER,
]

const long = 'x'.repeat(300)

/** Texts that an order, a collation or a pattern may take for one another. */
const labels = [
  null,
  '',
  ' ',
  '  ',
  '10',
  '9',
  '%',
  '_',
  'A',
  'B',
  'a',
  'a ',
  'aa',
  'a\u0301',
  'b',
  '\u00e1',
  '\u00df',
  'ss',
  '\ufb01',
  'fi',
  '\u0131',
  '\uffff',
  '\u{1f600}',
  `${long}a`,
  `${long}b`,
  `${long}`,
]

const operators = ['=', '<', '<=', '>', '>='] as const
const indexes = ['key', 'byRank', 'byLabel', 'byApplication']

/** Every condition on the borders of its type, every index in both directions, in pages, as the model has it. */
export function conditions({ fresh }: Section): void {
  const rows = labels.flatMap((label, at) =>
    [0, 1].map((half) =>
      note(`n${(at * 17 + half * 11) % 53} ${half}`, {
        tenantId: half ? 't2' : 't1',
        // A label is unique; the other half has ranks alone.
        label: half ? null : label,
        rank: ranks[(at * 11 + half) % ranks.length] ?? null,
        applicationId: at % 3 ? `app ${at % 4}` : null,
      }),
    ),
  )

  fresh('each condition selects the rows that it says', async (store) => {
    const model = createStoreModel()
    const set = { tenant: null, puts: rows.map((row) => ({ in: notes.name, row, was: null })) }
    expectEqual(await store.commit(set), model.commit(set), 'the set')
    const single: Where[] = [
      ...operators.flatMap((is) =>
        ranks
          .filter((rank) => rank !== null || is === '=')
          .map((rank): Where => [['rank', is, rank]]),
      ),
      ...operators.flatMap((is) =>
        labels
          .filter((label) => label !== null || is === '=')
          .map((label): Where => [['label', is, label]]),
      ),
      [['applicationId', '=', null]],
      [['applicationId', '=', 'app 1']],
      [['applicationId', '=', 'APP 1']],
      [['applicationId', '>', 'app 1']],
    ]
    const several: Where[] = [
      [
        ['rank', '>=', -10],
        ['rank', '<', 2 ** 31],
      ],
      [
        ['label', '>', 'B'],
        ['label', '<=', '\uffff'],
      ],
      [
        ['state', '=', 'closed'],
        ['tenantId', '=', 't1'],
        ['noteId', '>=', ''],
        ['applicationId', '>', 'app'],
        ['label', '=', 'a '],
      ],
      [
        ['rank', '>', 0],
        ['rank', '>', 10],
      ],
      [
        ['tenantId', '=', 't2'],
        ['rank', '=', null],
      ],
    ]
    const reads = [...single, ...several].flatMap((where, at): Read[] => [
      {
        list: notes.name,
        where,
        by: indexes[at % indexes.length] ?? 'key',
        newest: at % 3 === 0,
        skip: 0,
        take: 100,
        count: true,
      },
      {
        list: notes.name,
        where,
        by: indexes[(at + 1) % indexes.length] ?? 'key',
        newest: at % 3 !== 0,
        skip: at % 2,
        take: 3,
        count: at % 2 === 0,
      },
    ])
    await compareReads(store, model, reads)
    // Of the system's columns too, a tenant's own condition comes on top.
    const some = reads.filter((_, at) => at % 5 === 0)
    await compareReads(store, model, some, 't1')
  })

  fresh('each index gives its order, nulls first, ties by key', async (store) => {
    const model = createStoreModel()
    const set = {
      tenant: null,
      puts: [...rows].reverse().map((row) => ({ in: notes.name, row, was: null })),
    }
    expectEqual(await store.commit(set), model.commit(set), 'the set')
    for (const tenant of [null, 't1', 't2'])
      await compareReads(
        store,
        model,
        indexes.flatMap((by) =>
          [false, true].flatMap((newest) =>
            [
              [0, 100],
              [0, 7],
              [7, 7],
              [21, 7],
              [45, 100],
              [3, 0],
            ].map(([skip = 0, take = 0]) => ({
              list: notes.name,
              where: [],
              by,
              newest,
              skip,
              take,
              count: take === 7,
            })),
          ),
        ),
        tenant,
      )
  })
}
