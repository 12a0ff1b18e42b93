import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceDocument, fileNameOf, signDocument } from '@countersign/core/evidence'
import {
  readAuthorityFiles,
  readKeyFile,
  readKnownFiles,
  verifyFile,
} from '@countersign/documents/verify'
import { main } from '../verify/command.ts'
import { createTestAuthority, hasNoOpenssl, stampedEvidence } from './authority.ts'
import { fileOf, folder, issuer, packedAgain, packOf, withoutKeys } from './packs.ts'
import { isMissing, saidBySecond } from './second-process.ts'
import { servicePacks } from './service.ts'
import { filesOf } from './tamper-property.ts'

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
  async function said(
    file: string,
    tsa: readonly string[] = [],
    known: readonly string[] = [],
    keys = keyFile,
  ) {
    const { verdict, witness, findings } = await verifyFile(file, await readKeyFile(keys), {
      authorOf: tsa.length > 0 ? await readAuthorityFiles(tsa) : null,
      known: known.length > 0 ? await readKnownFiles(known) : null,
    })
    const stamps = findings.filter(({ check }) => check === 'stamp').map(({ result }) => result)
    if (!isMissing()) {
      const [second] = await saidBySecond([file], keys, known, tsa)
      assert.deepEqual([second?.verdict, second?.witness], [verdict, witness], file)
    }
    return { verdict, witness, stamps: [...new Set(stamps)].toSorted().join(), findings }
  }

  it('witness a document whose entries were stamped at their time, by who is trusted', async () => {
    const file = written(
      stampedEvidence({ startedAt: Date.now() }, (digest) => base64(stamp(digest))),
    )
    const { findings, ...trusted } = await said(file, [rootFile])
    assert.deepEqual(trusted, { verdict: 'verified', witness: 'witnessed', stamps: 'verified' })
    assert.match(findings.find(({ check }) => check === 'stamp')?.detail ?? '', /^Witness stamped/)
    const { findings: _, ...alone } = await said(file)
    assert.deepEqual(alone, { verdict: 'verified', witness: 'not_witnessed', stamps: 'noted' })
  })

  it('witness a document in a pack, and one of a key of RSA', async () => {
    const rsa = createTestAuthority({ key: ['-newkey', 'rsa:2048'] })
    const document = stampedEvidence({ startedAt: Date.now() }, (digest) =>
      base64(rsa.stamp(digest)),
    )
    const path = `applications/app_sample/sessions/${fileNameOf(document.session.sessionId)}/evidence.json`
    const pack = await packOf(
      new Map([...withoutKeys, [path, Buffer.from(JSON.stringify(document))]]),
    )
    const { findings: _, ...found } = await said(fileOf(pack), [rootFile, rsa.rootFile])
    assert.deepEqual(found, { verdict: 'verified', witness: 'witnessed', stamps: 'verified' })
    rsa.remove()
  })

  it('tell what was written anew, sealed in a batch of today and stamped', async () => {
    const now = Date.now()
    const stamped = (times: Parameters<typeof stampedEvidence>[0]) =>
      stampedEvidence(times, (digest) => base64(stamp(digest)))
    const [long, days] = [now - 400 * dayMs, now - 3 * dayMs]
    const cases: readonly (readonly [string, Parameters<typeof stampedEvidence>[0], string])[] = [
      ['history of then', { startedAt: long, anchoredAt: now }, 'not_witnessed'],
      ['a decision', { startedAt: now, closedAt: days }, 'partly_witnessed'],
      ['within a day', { startedAt: now - 0.9 * dayMs, anchoredAt: now }, 'witnessed'],
    ]
    for (const [name, times, witness] of cases) {
      const found = await said(written(stamped(times)), [rootFile])
      assert.deepEqual([name, found.verdict, found.witness], [name, 'verified', witness])
    }
    const [decision, review] = [stamped({ startedAt: now, closedAt: days }), 'review case rc_21_2']
    const { findings } = await said(written(decision), [rootFile])
    const told = findings.filter(({ check, result }) => check === 'stamp' && result === 'noted')
    assert.deepEqual(
      told.map(({ about }) => about),
      [review],
    )
    assert.match(told[0]?.detail ?? '', /^Witness stamped it at .*, over a day after it says/)
    const words: string[] = []
    const out = { out: (text: string) => void words.push(text), err: assert.fail }
    const args = ['--keys', keyFile, '--tsa', rootFile]
    assert.equal(await main([...args, written(decision)], out), 0)
    assert.match(
      words.join(''),
      /VERIFIED, witnessed in part by its time stamps; self-consistent, not witnessed: review case rc_21_2\n/,
    )
    // A list of cases, and the proof of one.
    const lines = decision.reviewCases.map((each) => `${JSON.stringify(each)}\n`).join('')
    const list = new Map([['applications/app_sample/review-cases.jsonl', Buffer.from(lines)]])
    assert.equal((await said(fileOf(await packOf(list)), [rootFile])).witness, 'not_witnessed')
    const [one] = decision.reviewCases
    const { merkle, ...seal } = one?.integrity ?? { merkle: null }
    const { reviewCaseId, sessionId, applicationId } = one ?? {}
    const ids = { hashAlgorithm: 'rfc9162-sha256', reviewCaseId, sessionId, applicationId }
    const proof = fileOf(JSON.stringify({ ...ids, ...seal, ...merkle }), 'proof.json')
    assert.equal((await said(proof, [rootFile])).stamps, 'noted')
  })

  it('witness nothing where an entry has none', async () => {
    let first = true
    const some = stampedEvidence({ startedAt: Date.now() }, (digest) => {
      const isFirst = first
      first = false
      return isFirst ? base64(stamp(digest)) : null
    })
    const none = stampedEvidence({ startedAt: Date.now() }, () => null)
    for (const document of [none, ...(first ? [] : [some])]) {
      const { verdict, witness } = await said(written(document), [rootFile])
      const all = JSON.stringify(document).includes('"timeStamp":null')
      assert.deepEqual([verdict, witness === 'witnessed'], ['verified', !all])
    }
  })

  it('fail where they are of something else, of nobody who is trusted, or changed', async () => {
    const genuine = stampedEvidence({ startedAt: Date.now() }, (digest) => base64(stamp(digest)))
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
      ['of something else', stampedEvidence({ startedAt: now }, other), []],
      [
        'of something else, with an authority',
        stampedEvidence({ startedAt: now }, other),
        [rootFile],
      ],
      ['no base64', stampedEvidence({ startedAt: now }, () => 'no base64!'), []],
      ['no stamp', stampedEvidence({ startedAt: now }, () => base64(Buffer.from('no stamp'))), []],
      ['changed', stampedEvidence({ startedAt: now }, changed), [rootFile]],
      [
        'a stranger’s',
        stampedEvidence({ startedAt: now }, (digest) => base64(stranger.stamp(digest))),
        [rootFile],
      ],
      ['trusted is another', genuine, [stranger.rootFile]],
      ...others.map(
        (by) =>
          [
            'for others too',
            stampedEvidence({ startedAt: now }, signedAnew(by)),
            [by.rootFile],
          ] as const,
      ),
    ]
    for (const [name, document, tsa] of cases) {
      const { verdict, stamps } = await said(written(document), tsa)
      assert.deepEqual([name, verdict, stamps], [name, 'failed', 'failed'])
    }
    const anew = stampedEvidence({ startedAt: now }, signedAnew(right))
    assert.equal((await said(written(anew), [right.rootFile])).witness, 'witnessed')
    for (const each of [stranger, right, ...others]) each.remove()
  })

  it('lie in packs as files that `openssl ts -verify` takes, and are no others', async () => {
    const stampOf = (hash: string) => base64(stamp(hash))
    const {
      keys: _,
      sealer: __,
      subject: ___,
      ...packs
    } = await servicePacks(undefined, {
      now: Date.now(),
      stampOf,
    })
    const auditor = await filesOf(packs.auditor)
    const jwks = fileOf(auditor.get('verification-keys.json') ?? '', 'keys.json')
    const [first, second] = `${Buffer.from(auditor.get('anchors.jsonl') ?? [])}`.split('\n')
    const entries = [first, second].map(
      (line) => JSON.parse(line ?? '') as { readonly entryHash: string },
    )
    for (const [at, { entryHash }] of entries.entries()) {
      const tsr = fileOf(auditor.get(`time-stamps/${at + 1}.tsr`) ?? '', 'member.tsr')
      const asked = ['ts', '-verify', '-digest', entryHash, '-in', tsr, '-CAfile', rootFile]
      assert.equal(spawnSync('openssl', asked).status, 0)
    }
    for (const [name, pack] of Object.entries(packs)) {
      const { verdict } = await said(fileOf(pack), [rootFile], [], jwks)
      assert.equal(verdict, 'verified', name)
      const files = await filesOf(pack)
      const stamps = [...files.keys()].filter((path) => path.endsWith('.tsr'))
      assert.equal(stamps.length, 2, name)
      const [one = '', other = ''] = stamps
      const [a = new Uint8Array(), b = new Uint8Array()] = [files.get(one), files.get(other)]
      for (const forged of [
        new Map(files).set(one, b).set(other, a),
        new Map(files).set('time-stamps/3.tsr', a),
      ]) {
        const own = fileOf(JSON.stringify(issuer.jwk), 'keys.json')
        const found = await said(fileOf(await packedAgain(forged)), [], [], own)
        const failed = found.findings.filter(
          ({ result, check }) => result === 'failed' && check === 'file',
        )
        assert.ok(
          failed.some(({ about }) => about.endsWith('.tsr')),
          name,
        )
      }
    }
  })

  it('are known from before, by themselves', async () => {
    const held = new Map<string, string>()
    const document = stampedEvidence({ startedAt: Date.now() }, (digest) => {
      held.set(digest, fileOf(stamp(digest), 'head.tsr'))
      return null
    })
    const { findings: _, ...found } = await said(written(document), [], [...held.values()])
    assert.deepEqual(found, { verdict: 'verified', witness: 'witnessed', stamps: '' })
    const { decision } = document.reviewCases[0] ?? {}
    assert.notEqual(decision, undefined)
    // Written anew from the ledger up, with the same members otherwise.
    const anew = signDocument(
      stampedEvidence({ startedAt: Date.now() + 1 }, () => null),
      issuer,
    )
    const { verdict } = await said(written(anew), [], [...held.values()])
    assert.equal(verdict, 'undecided')
  })
})
