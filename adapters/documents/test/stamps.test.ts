import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceDocument, signDocument } from '@countersign/core/evidence'
import {
  readAuthorityFiles,
  readKeyFile,
  readKnownFiles,
  verifyFile,
} from '@countersign/documents/verify'
import { createTestAuthority, hasNoOpenssl, stampedEvidence } from './authority.ts'
import { fileOf, folder, issuer, packOf } from './packs.ts'
import { isMissing, saidBySecond } from './second-verifier.ts'

const skip = hasNoOpenssl()
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const dayMs = 86_400_000

describe('time stamps', { skip }, () => {
  const authority = skip ? null : createTestAuthority()
  const rootFile = authority?.rootFile ?? ''
  const stamp = (digest: string) => authority?.stamp(digest) ?? new Uint8Array()
  const keyFile = fileOf(JSON.stringify(issuer.jwk), 'keys.json')
  const written = (document: EvidenceDocument) => fileOf(JSON.stringify(document), 'evidence.json')
  after(() => {
    authority?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** What both verifiers say of a file, and whether they say the same. */
  async function said(file: string, tsa: readonly string[] = [], known: readonly string[] = []) {
    const { verdict, witness, findings } = await verifyFile(file, await readKeyFile(keyFile), {
      authorOf: tsa.length > 0 ? await readAuthorityFiles(tsa) : null,
      known: known.length > 0 ? await readKnownFiles(known) : null,
    })
    const stamps = findings.filter(({ check }) => check === 'stamp').map(({ result }) => result)
    if (!isMissing()) {
      const [second] = saidBySecond([file], keyFile, known, tsa)
      assert.deepEqual([second?.verdict, second?.witness], [verdict, witness], file)
    }
    return { verdict, witness, stamps: [...new Set(stamps)].toSorted().join(), findings }
  }

  it('witness a document whose entries were stamped at their time, by who is trusted', async () => {
    const file = written(stampedEvidence(Date.now(), (digest) => base64(stamp(digest))))
    const { findings, ...trusted } = await said(file, [rootFile])
    assert.deepEqual(trusted, { verdict: 'verified', witness: 'witnessed', stamps: 'verified' })
    assert.match(findings.find(({ check }) => check === 'stamp')?.detail ?? '', /^Witness stamped/)
    const { findings: _, ...alone } = await said(file)
    assert.deepEqual(alone, { verdict: 'verified', witness: 'not_witnessed', stamps: 'noted' })
  })

  it('witness a document in a pack, and one of a key of RSA', async () => {
    const rsa = createTestAuthority({ key: ['-newkey', 'rsa:2048'] })
    const document = stampedEvidence(Date.now(), (digest) => base64(rsa.stamp(digest)))
    const path = 'applications/app_sample/sessions/s/evidence.json'
    const pack = await packOf(new Map([[path, Buffer.from(JSON.stringify(document))]]))
    const { findings: _, ...found } = await said(fileOf(pack), [rootFile, rsa.rootFile])
    assert.deepEqual(found, { verdict: 'verified', witness: 'witnessed', stamps: 'verified' })
    rsa.remove()
  })

  it('tell an issuer who wrote its history anew later, and stamped that', async () => {
    const anew = stampedEvidence(Date.now() - 400 * dayMs, (digest) => base64(stamp(digest)))
    const { findings: _, ...found } = await said(written(anew), [rootFile])
    assert.deepEqual(found, { verdict: 'verified', witness: 'not_witnessed', stamps: 'noted' })
  })

  it('witness nothing where an entry has none', async () => {
    let first = true
    const some = stampedEvidence(Date.now(), (digest) => {
      const isFirst = first
      first = false
      return isFirst ? base64(stamp(digest)) : null
    })
    const none = stampedEvidence(Date.now(), () => null)
    for (const document of [none, ...(first ? [] : [some])]) {
      const { verdict, witness } = await said(written(document), [rootFile])
      const all = JSON.stringify(document).includes('"timeStamp":null')
      assert.deepEqual([verdict, witness === 'witnessed'], ['verified', !all])
    }
  })

  it('fail where they are of something else, of nobody who is trusted, or changed', async () => {
    const genuine = stampedEvidence(Date.now(), (digest) => base64(stamp(digest)))
    const stranger = createTestAuthority()
    const others = ['critical,serverAuth', 'critical,serverAuth,timeStamping', 'timeStamping'].map(
      (usage) => createTestAuthority({ usage }),
    )
    const right = createTestAuthority()
    const signedAnew = (by: typeof right) => (digest: string) =>
      base64(by.signedAnew(stamp(digest)))
    const other = (digest: string) =>
      base64(stamp(digest.replace(/^./, (c) => (c === '0' ? '1' : '0'))))
    const changed = (digest: string) => {
      const answer = stamp(digest)
      // Within the signature, which is last.
      answer[answer.length - 5] = (answer[answer.length - 5] ?? 0) ^ 1
      return base64(answer)
    }
    const now = Date.now()
    const cases: readonly (readonly [string, EvidenceDocument, readonly string[]])[] = [
      ['of something else', stampedEvidence(now, other), []],
      ['of something else, with an authority', stampedEvidence(now, other), [rootFile]],
      ['no base64', stampedEvidence(now, () => 'no base64!'), []],
      ['no stamp', stampedEvidence(now, () => base64(Buffer.from('no stamp'))), []],
      ['changed', stampedEvidence(now, changed), [rootFile]],
      [
        'a stranger’s',
        stampedEvidence(now, (digest) => base64(stranger.stamp(digest))),
        [rootFile],
      ],
      ['trusted is another', genuine, [stranger.rootFile]],
      ...others.map(
        (by) => ['for others too', stampedEvidence(now, signedAnew(by)), [by.rootFile]] as const,
      ),
    ]
    for (const [name, document, tsa] of cases) {
      const { verdict, stamps } = await said(written(document), tsa)
      assert.deepEqual([name, verdict, stamps], [name, 'failed', 'failed'])
    }
    const anew = stampedEvidence(now, signedAnew(right))
    assert.equal((await said(written(anew), [right.rootFile])).witness, 'witnessed')
    for (const each of [stranger, right, ...others]) each.remove()
  })

  it('are known from before, by themselves', async () => {
    const held = new Map<string, string>()
    const document = stampedEvidence(Date.now(), (digest) => {
      held.set(digest, fileOf(stamp(digest), 'head.tsr'))
      return null
    })
    const { findings: _, ...found } = await said(written(document), [], [...held.values()])
    assert.deepEqual(found, { verdict: 'verified', witness: 'witnessed', stamps: '' })
    const { decision } = document.reviewCases[0] ?? {}
    assert.notEqual(decision, undefined)
    // Written anew from the ledger up, with the same members otherwise.
    const anew = signDocument(
      stampedEvidence(Date.now() + 1, () => null),
      issuer,
    )
    const { verdict } = await said(written(anew), [], [...held.values()])
    assert.equal(verdict, 'undecided')
  })
})
