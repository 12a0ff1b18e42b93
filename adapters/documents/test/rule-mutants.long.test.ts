import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { bulkMovesOn, documentHoldsOf, documentOf } from './document-moves.ts'
import { movesOn } from './issuer-moves.ts'
import { holdsOf } from './issuer-oracle.ts'
import { packFor, pathsOf } from './issuer-world.ts'
import { type Rule, rules } from './needed-rules.ts'
import { fileOf, folder, issuer } from './packs.ts'
import { type Switched, secondWithout, switchedFirst } from './rule-mutants.ts'
import { isMissing, type Run, type Said, saidInRuns, saidOf } from './second-process.ts'
import { subjects } from './subjects.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** Of so many rules one is drawn. */
const part = whole ? 1 : 3
const drawn = rules.filter((_, at) => (at + Math.abs(Number(seed))) % part === 0)
const skip = isMissing()

/** The pack of each rule's move, and what a reader of it holds and trusts. */
async function runsOf(all: readonly Rule[]): Promise<ReadonlyMap<Rule, Run & { file: string }>> {
  const auditor = (await subjects()).find(({ name }) => name === 'auditor')
  assert.ok(auditor)
  const document = documentOf('record')
  const names = new Set(all.map(({ move }) => move))
  const toldAlone = new Set([...names].map((name) => name.replace(/, sealed anew.*/, '')))
  const worlds = movesOn(auditor, (name) => toldAlone.has(name))
  const documents = bulkMovesOn(document, (name) => names.has(name))
  const moves = {
    auditor: new Map([...worlds].map(({ name, world }) => [name, world])),
    bulk: new Map([...documents].map(({ name, write }) => [name, write])),
  }
  const lists = holdsOf(auditor, pathsOf(auditor.files))
  const holds = {
    auditor: new Map(lists.map(({ lists, files }) => [lists.join(), files])),
    bulk: documentHoldsOf(document),
  }
  const keys = {
    auditor: fileOf(JSON.stringify(auditor.jwks), 'keys.json'),
    bulk: fileOf(JSON.stringify(issuer.jwk), 'keys.json'),
  }
  const runs = new Map<Rule, Run & { file: string }>()
  for (const rule of all) {
    const { on, move, held } = rule
    const world = moves.auditor.get(move)
    const file =
      on === 'auditor'
        ? world && fileOf(await packFor(world, auditor))
        : await moves.bulk.get(move)?.()
    const known = holds[on].get(held === '' && on === 'bulk' ? 'nothing' : held)
    assert.ok(file && known, `${move}, ${held} held`)
    runs.set(rule, { file, files: [file], known, keys: keys[on] })
  }
  return runs
}

describe('each rule of the verifiers that an issuer’s move shows to be needed', { skip }, () => {
  let runs: ReadonlyMap<Rule, Run & { file: string }>
  let genuine: readonly (Said | undefined)[]
  let switched: Switched
  before(async () => {
    runs = await runsOf(drawn)
    genuine = (await saidInRuns([...runs.values()])).map(([said]) => said)
    switched = await switchedFirst(drawn)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  async function saidByFirst(rule: Rule, off: Rule | null): Promise<Said> {
    const { file = '', keys = '', known = [] } = runs.get(rule) ?? {}
    const { verifier, switchOff } = switched
    const trusted = await verifier.readKeyFile(keys)
    const held = known.length > 0 ? await verifier.readKnownFiles(known) : null
    switchOff(off)
    const { verdict, witness, findings } = await verifier.verifyFile(file, trusted, { known: held })
    switchOff(null)
    return saidOf(verdict, witness, findings)
  }

  for (const [at, rule] of drawn.entries()) {
    const { first, second, move, held } = rule
    const shown = `${move}, ${held || 'nothing'} held`

    it(`${first[1]} is missed by: ${shown}`, async () => {
      assert.deepEqual(await saidByFirst(rule, null), genuine[at])
      assert.notDeepEqual(await saidByFirst(rule, rule), genuine[at])
    })

    if (second)
      it(`${second[1]} of the second verifier is missed by: ${shown}`, async () => {
        const run = runs.get(rule)
        assert.ok(run)
        const [[said] = []] = await saidInRuns([run], await secondWithout(second))
        assert.notDeepEqual(said, genuine[at])
      })
  }
})
