import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEvidenceKeys } from '@countersign/core/evidence'
import { verifyFile } from '@countersign/documents/verify'
import { fittingKeys, keyTamperings } from './key-tamperings.ts'
import { fileOf, issuer } from './packs.ts'
import { isMissing, saidBySecond } from './second-process.ts'
import { saidByFirst } from './second-verifier.ts'
import { genuine, renamed, signedAuditorPack, signedPack, tamperings } from './signed-decisions.ts'

const skip = isMissing()
const keys = readEvidenceKeys(issuer.jwk) ?? assert.fail('the key of the samples is malformed')
const keyFile = fileOf(JSON.stringify(issuer.jwk), 'keys.json')

const inBoth = [signedPack, signedAuditorPack]

async function filesOf(
  all: typeof genuine,
  packs = inBoth,
): Promise<readonly (readonly [name: string, file: string])[]> {
  return Promise.all(
    Object.entries(all).flatMap(([name, each]) =>
      packs.map(async (packed) => [name, fileOf(await packed(each))] as const),
    ),
  )
}

/** Both verifiers verify these files, by their names. */
async function areVerified(files: Awaited<ReturnType<typeof filesOf>>): Promise<void> {
  const second = await saidBySecond(
    files.map(([, file]) => file),
    keyFile,
  )
  for (const [at, [name, file]] of files.entries()) {
    const first = await saidByFirst(file, keys)
    assert.deepEqual([first.verdict, first.open], ['verified', ''], name)
    assert.deepEqual(second[at], first, name)
  }
}

describe('a decision that its reviewer signed', () => {
  it('is told by both verifiers', { skip }, async () => {
    const files = await filesOf(genuine)
    await areVerified(files)
    for (const [name, file] of files) {
      const { findings } = await verifyFile(file, keys)
      const told = findings.filter(({ check }) => check === 'decision')
      assert.deepEqual(
        told.map(({ result }) => result),
        ['verified'],
        name,
      )
    }
  })

  it('is told by both where log and keys each tell what the other need not', { skip }, async () => {
    await areVerified(await filesOf({ ...fittingKeys, 'of a renamed session': renamed(true) }))
  })

  it('is told wrong by both after each tampering, sealed and signed anew by the service', {
    skip,
  }, async () => {
    assert.ok(Object.keys(tamperings).length >= 50)
    // Of an audit log only an auditor's pack tells.
    const ofKeys = await filesOf(keyTamperings, [signedAuditorPack])
    const files = [...(await filesOf(tamperings)), ...ofKeys]
    const second = await saidBySecond(
      files.map(([, file]) => file),
      keyFile,
    )
    const wrong: string[] = []
    for (const [at, [name, file]] of files.entries()) {
      const first = await saidByFirst(file, keys)
      if (first.open !== 'failed decision')
        wrong.push(`${name}: the first says ${JSON.stringify(first)}`)
      if (second[at]?.open !== first.open)
        wrong.push(`${name}: the second says ${JSON.stringify(second[at])}`)
    }
    assert.deepEqual(wrong, [])
  })
})
