import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type Move, movesOn } from './issuer-moves.ts'
import { faultsOf, holdsOf } from './issuer-oracle.ts'
import { pathsOf } from './issuer-world.ts'
import { folder } from './packs.ts'
import { isMissing } from './second-process.ts'
import { subjects } from './subjects.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** Of so many moves of decisions, and of all others, one is drawn. */
const parts = whole ? { decisions: 1, others: 1 } : { decisions: 3, others: 16 }
const isDrawn = (at: number, of: number) => (at + Math.abs(Number(seed))) % of === 0
const skip = isMissing()

describe('what an issuer, who has all keys, tells otherwise in an auditor’s pack', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  async function judged(some: (moves: readonly Move[]) => readonly Move[], atLeast: number) {
    const auditor = (await subjects()).find(({ name }) => name === 'auditor')
    assert.ok(auditor)
    const holds = holdsOf(auditor, pathsOf(auditor.files))
    const { faults, count } = await faultsOf(auditor, some([...movesOn(auditor)]), holds)
    assert.deepEqual(faults, [])
    assert.ok(count >= atLeast * holds.length, `${count} were judged`)
  }

  it(
    'contradicts what a reader holds, or is not witnessed by it, where it is a decision',
    {
      skip,
    },
    () =>
      judged(
        (moves) =>
          moves
            .filter(({ place }) => place === 'case')
            .filter((_, at) => isDrawn(at, parts.decisions)),
        Math.floor(150 / parts.decisions),
      ),
  )

  it(
    'contradicts what a reader holds, or is not witnessed by it, where it is anything else',
    {
      skip,
    },
    () =>
      judged(
        (moves) => moves.filter(({ place }, at) => place !== 'case' && isDrawn(at, parts.others)),
        Math.floor(1_500 / parts.others),
      ),
  )
})
