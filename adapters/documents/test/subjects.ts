import { readFileSync } from 'node:fs'
import { type EvidenceKeys, fileNameOf, readEvidenceKeys } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import { createTestAuthority, hasNoOpenssl, stampedEvidence } from './authority.ts'
import { fileOf, issuer, packOf, sampleMembers, withoutKeys } from './packs.ts'
import { servicePacks } from './service.ts'
import { filesOf } from './tamper-property.ts'
import type { Subject } from './tamperings.ts'

/** A pack of a record, one of a submission and one whose content was erased, each with sealed cases. */
function documents(): ReadonlyMap<string, Uint8Array> {
  const members = new Map(sampleMembers() as ReadonlyMap<string, Uint8Array>)
  for (const [seed, leaf] of [
    [21, 'record'],
    [22, 'submitted'],
  ] as const) {
    const evidence = sampleEvidence({ seed, leaf, steps: 4 })
    const path = `applications/app_sample/sessions/${fileNameOf(evidence.session.sessionId)}`
    members.set(`${path}/evidence.json`, Buffer.from(JSON.stringify(evidence)))
  }
  return members
}

/** Genuine packs of every kind, with the keys that their issuers published. */
export async function subjects(): Promise<readonly (Subject & { readonly keys: EvidenceKeys })[]> {
  const cases = [true, false, true]
  const { keys, sealer, ...made } = await servicePacks(undefined, { cases })
  const own = readEvidenceKeys(issuer.jwk)
  const sample = await packOf(documents())
  const auditor = await filesOf(made.auditor)
  const jwks = JSON.parse(
    Buffer.from(auditor.get('verification-keys.json') ?? []).toString(),
  ) as object
  if (!own) throw new Error('the key of the samples is malformed')
  const packs = await Promise.all(
    Object.entries(made).map(async ([name, pack]) => ({
      ...{ name, pack, jwks, keys, sealer, isSample: false },
      files: await filesOf(pack),
    })),
  )
  const files = await filesOf(sample)
  const ofSamples = { jwks: issuer.jwk, keys: own, sealer: issuer, isSample: true }
  return [
    ...packs,
    { name: 'sample', pack: sample, files, ...ofSamples },
    ...(await stampedSubjects(ofSamples)),
  ]
}

/** A pack whose ledger entries an authority stamped, of two sessions; none where no authority can be made. */
async function stampedSubjects<Of extends object>(
  of: Of,
): Promise<readonly (Of & Pick<Subject, 'name' | 'pack' | 'files' | 'rootFile'>)[]> {
  if (hasNoOpenssl()) return []
  const authority = createTestAuthority()
  const members = new Map<string, Uint8Array>(withoutKeys)
  for (const at of [1, 2]) {
    const startedAt = Date.now() + at
    const document = stampedEvidence({ startedAt, seed: 30 + at }, (hash) =>
      Buffer.from(authority.stamp(hash)).toString('base64'),
    )
    const folder = `applications/app_sample/sessions/${fileNameOf(document.session.sessionId)}`
    const { timeStamp } = document.integrity.anchor ?? {}
    members.set(`${folder}/evidence.json`, Buffer.from(JSON.stringify(document)))
    members.set(`${folder}/time-stamp.tsr`, Buffer.from(timeStamp ?? '', 'base64'))
  }
  const rootFile = fileOf(readFileSync(authority.rootFile), 'root.pem')
  authority.remove()
  const pack = await packOf(members)
  return [{ ...of, name: 'stamped', pack, files: await filesOf(pack), rootFile }]
}
