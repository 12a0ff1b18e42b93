import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { movesOn } from './issuer-moves.ts'
import { faultsOf, holdsOf } from './issuer-oracle.ts'
import { pathsOf } from './issuer-world.ts'
import { folder } from './packs.ts'
import { isMissing } from './second-process.ts'
import { subjects } from './subjects.ts'

const skip = isMissing()

describe('what an issuer, who has all keys, tells otherwise in an auditor’s pack', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('contradicts what a reader holds, or is not witnessed by it', { skip }, async () => {
    const auditor = (await subjects()).find(({ name }) => name === 'auditor')
    assert.ok(auditor)
    const [nothing, all, ledger] = holdsOf(auditor, pathsOf(auditor.files))
    assert.ok(nothing && all && ledger)
    const moves = [...movesOn(auditor)]
    const few = (every: number) => moves.filter((_, at) => at % every === 0)
    const decisions = moves.filter(({ place }) => place === 'case')
    for (const [some, holds] of [
      [few(40), [all, ledger]],
      [decisions.filter((_, at) => at % 4 === 0), [all]],
    ] as const) {
      const { faults, count } = await faultsOf(auditor, some, holds)
      assert.deepEqual(faults, [])
      assert.ok(count > 40)
    }
  })
})
