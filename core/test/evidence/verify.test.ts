import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  canonicalBytes,
  type EvidenceKeys,
  type Finding,
  readEvidenceKeys,
  type SessionCertificate,
  signDocument,
  thumbprintOf,
  verdictOf,
  verifyDocument,
} from '@countersign/core/evidence'
import { leafHash } from '@countersign/core/internal'
import {
  type SampleEvidence,
  sampleAnchor,
  sampleEvidence,
  sampleEvidenceKey,
  seededRandom,
} from '@countersign/core/testing'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { scalarsOf, tampered } from './tampering.ts'

const signer = sampleEvidenceKey(new Uint8Array(32).fill(7))
const keys = readEvidenceKeys(signer.jwk) as EvidenceKeys
const none: EvidenceKeys = new Map()

const verdict = (document: unknown, with_: EvidenceKeys = keys) =>
  verdictOf(verifyDocument(document, with_))
const failuresOf = (document: unknown) =>
  verifyDocument(document, keys).filter(({ result }) => result === 'failed')
const told = (findings: readonly Finding[], check: string) =>
  findings.find((finding) => finding.check === check)

const kinds: readonly SampleEvidence[] = [
  {},
  { leaf: 'submitted' },
  { leaf: null },
  { erased: true },
  { leaf: 'submitted', erased: true },
]

type Verify = typeof verifyDocument

/** The proof of a session's seal. */
function proofOf({ integrity, session, application }: ReturnType<typeof sampleEvidence>) {
  return {
    sessionId: session.sessionId,
    applicationId: application.applicationId,
    revision: 1,
    hashAlgorithm: 'rfc9162-sha256',
    ...integrity.merkle,
    leafHash: integrity.leafHash,
    anchor: integrity.anchor,
  } as SessionCertificate['proof']
}

/** A scalar changed and the document signed anew by its own key, as only the issuer could: the seal must still tell. */
function findsWhatTheSealBinds(verify: Verify) {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), (seed) => {
      const random = seededRandom(seed)
      const document = sampleEvidence({ seed: 3, steps: 3 })
      const bound = scalarsOf(document).filter(
        ([top, at, member]) =>
          top === 'steps' &&
          typeof at === 'number' &&
          ['name', 'status', 'model', 'payload', 'startedAt', 'stepId'].includes(String(member)),
      )
      const at = bound[random.below(bound.length)] ?? []
      const forged = signDocument(tampered(document, at, random), signer)
      return verdictOf(verify(forged, keys)) === 'failed'
    }),
    { numRuns: 40 },
  )
}

/** A scalar changed without the key. */
function findsWhatTheSignatureBinds(verify: Verify) {
  const documents = kinds.map((kind) => sampleEvidence({ seed: 3, steps: 3, ...kind }))
  fc.assert(
    fc.property(fc.integer({ min: 1 }), (seed) => {
      const random = seededRandom(seed)
      const document = documents[random.below(documents.length)]
      const places = scalarsOf(document)
      const forged = tampered(document, places[random.below(places.length)] ?? [], random)
      return verdictOf(verify(forged, keys)) !== 'verified'
    }),
    { numRuns: 100 },
  )
}

describe('verification of evidence', () => {
  it('passes every kind of session, and says what was erased', () => {
    for (const kind of kinds) {
      const findings = verifyDocument(sampleEvidence(kind), keys)
      assert.equal(verdictOf(findings), 'verified', JSON.stringify(findings, null, 1))
    }
    const erased = verifyDocument(sampleEvidence({ erased: true }), keys)
    assert.ok(erased.some(({ result, check }) => result === 'noted' && check === 'content'))
    assert.equal(
      told(verifyDocument(sampleEvidence({ leaf: null }), keys), 'leaf')?.result,
      'noted',
    )
  })

  it('finds every change that the signature or the seal binds', () => {
    findsWhatTheSignatureBinds(verifyDocument)
    findsWhatTheSealBinds(verifyDocument)
  })

  it('is proven by tests that broken verifiers fail', () => {
    const without =
      (...checks: readonly string[]): Verify =>
      (document, with_) =>
        verifyDocument(document, with_).filter(
          ({ check, result }) => result === 'verified' || !checks.includes(check),
        )
    assert.throws(() => findsWhatTheSignatureBinds(without('signature')))
    assert.throws(() => findsWhatTheSealBinds(without('content')))
    assert.throws(() => findsWhatTheSealBinds(without('record')))
  })

  it('finds a forged path, root, nonce and leaf under a good signature', () => {
    const document = sampleEvidence({ seed: 5 })
    const { merkle, anchor, leafHash } = document.integrity
    assert.ok(merkle && anchor && leafHash)
    const other = '00'.repeat(32)
    const forgeries = [
      { leafHash: other },
      { merkle: { ...merkle, inclusionPath: merkle.inclusionPath.with(0, other) } },
      { merkle: { ...merkle, merkleRoot: other } },
      { merkle: { ...merkle, leafIndex: 1 } },
      { merkle: { ...merkle, treeSize: 99 } },
      { merkle: null },
      { anchor: { ...anchor, nonce: other } },
      { anchor: { ...anchor, commitment: other } },
      { anchor: { ...anchor, entryHash: other } },
      { leafInput: null },
      { earlier: [{ revision: 0, leafHash: other, merkle, anchor }] },
    ]
    for (const forgery of forgeries) {
      const forged = signDocument(
        { ...document, integrity: { ...document.integrity, ...forgery } },
        signer,
      )
      assert.equal(verdict(forged), 'failed', JSON.stringify(forgery))
    }
  })

  it('takes submitted content that is empty for none, and nothing else', () => {
    const document = sampleEvidence({ leaf: 'submitted', steps: 1 })
    const [step] = document.steps
    assert.ok(step?.payload)
    const sealedWith = (attributes: unknown): object => {
      const { steps, ...session } = document.integrity.leafInput as {
        readonly steps: readonly object[]
      }
      const leafInput = { ...session, steps: [{ ...steps[0], attributes }] }
      const leaf = bytesToHex(leafHash(canonicalBytes(leafInput)))
      const merkle = {
        batchId: 'b',
        leafIndex: 0,
        treeSize: 1,
        inclusionPath: [],
        merkleRoot: leaf,
      }
      const integrity = { ...document.integrity, leafInput, leafHash: leaf, merkle, anchor: null }
      const shown = { ...step, payload: { ...step.payload, attributes: null } }
      const told = { ...document.session, sealed: { batchId: 'b', leafIndex: 0 } }
      return signDocument({ ...document, session: told, steps: [shown], integrity }, signer)
    }
    assert.deepEqual(failuresOf(sealedWith({})), [])
    assert.deepEqual(
      failuresOf(sealedWith({ a: 1 })).map(({ check }) => check),
      ['record'],
    )
    assert.deepEqual(
      failuresOf(sealedWith('')).map(({ check }) => check),
      ['record'],
    )
  })

  it('finds submitted content that is missing or changed under a good signature', () => {
    const document = sampleEvidence({ leaf: 'submitted', steps: 2 })
    const [first, ...rest] = document.steps
    assert.ok(first?.payload)
    for (const change of [
      { payload: null, payloadStatus: 'none' as const },
      { payload: { ...first.payload, output: 'another' } },
      { name: 'another' },
    ]) {
      const forged: object = signDocument(
        { ...document, steps: [{ ...first, ...change }, ...rest] },
        signer,
      )
      assert.equal(verdict(forged), 'failed', JSON.stringify(change))
    }
  })

  it('does not pass what it can not check', () => {
    const document = sampleEvidence()
    assert.equal(verdict(document, none), 'undecided')
    assert.equal(verdict({ ...document, signatures: [] }), 'failed')
    assert.equal(verdict({ ...document, evidenceVersion: '2.0' }), 'undecided')
    for (const value of [null, 1, 'text', [], {}, [1], { session: {} }])
      assert.notEqual(verdict(value), 'verified', JSON.stringify(value))
  })

  it('says a pending anchor, a destroyed nonce and a foreign ledger as what they are', () => {
    const document = sampleEvidence()
    const { anchor } = document.integrity
    assert.ok(anchor)
    const withAnchor = (changes: object) =>
      signDocument(
        { ...document, integrity: { ...document.integrity, anchor: { ...anchor, ...changes } } },
        signer,
      )
    assert.equal(verdict(withAnchor({ status: 'pending' })), 'verified')
    assert.equal(verdict(withAnchor({ nonce: null })), 'verified')
    const destroyed = verifyDocument(withAnchor({ nonce: null }), keys)
    assert.match(told(destroyed, 'commitment')?.detail ?? '', /can no longer be linked/)
    assert.equal(verdict(withAnchor({ ledger: 'other', entryHash: null })), 'undecided')
    assert.equal(verdict(withAnchor({ entryHash: null })), 'failed')
  })

  it('says of a proof what is signed, and that its names are not', () => {
    const proof = proofOf(sampleEvidence())
    const openOf = (document: object, with_ = keys) =>
      verifyDocument(document, with_)
        .filter(({ result }) => result === 'unchecked')
        .map(({ check, detail }) => `${check}: ${detail}`)
        .join('\n')
    const leaf = 'ab'.repeat(32)
    const invented = {
      ...{ ...proof, sessionId: 'never-existed', batchId: 'bat_x', leafIndex: 0, treeSize: 1 },
      ...{ leafHash: leaf, inclusionPath: [], merkleRoot: leaf },
    }
    const names = /^issuer: Checked was that the issuer signed [^\n]*Not checked was whose leaf/
    const arithmetic = /issuer: Checked was arithmetic alone[^\n]*who issued it/
    for (const [document, words] of [
      [proof, names],
      [{ ...proof, sessionId: 'another', applicationId: 'app_other', revision: 9 }, names],
      [{ ...proof, anchor: null }, arithmetic],
      [{ ...proof, anchor: { ...proof.anchor, status: 'pending' } }, arithmetic],
      [{ ...proof, anchor: { ...proof.anchor, nonce: null } }, arithmetic],
      [{ ...proof, anchor: { ...proof.anchor, ledger: 'other', entryHash: null } }, arithmetic],
      [{ ...invented, anchor: null }, arithmetic],
      [{ ...invented, anchor: { ...proof.anchor, nonce: null } }, arithmetic],
    ] as const) {
      assert.equal(verdict(document), 'undecided', JSON.stringify(document))
      assert.match(openOf(document), words)
    }
    assert.match(openOf(proof, none), arithmetic)
    assert.equal(verdictOf(verifyDocument(proof, keys, { isCovered: true })), 'verified')
    assert.equal(verdict({ ...invented, anchor: proof.anchor }), 'failed')
    assert.equal(verdict({ ...proof, leafIndex: 3 }), 'failed')
    assert.equal(verdict({ ...proof, hashAlgorithm: 'other' }), 'failed')
  })

  it('calls nothing verified that no verified signature covers', () => {
    const finding = { about: 'x', detail: 'x' } as const
    const arithmetic: Finding = { ...finding, result: 'verified', check: 'inclusion' }
    const signature: Finding = { ...finding, result: 'verified', check: 'signature' }
    assert.equal(verdictOf([arithmetic]), 'undecided')
    assert.equal(verdictOf([arithmetic, signature]), 'verified')
    assert.equal(verdictOf([{ ...signature, result: 'noted' }, arithmetic]), 'undecided')
  })

  it('verifies certificates', () => {
    const evidence = sampleEvidence()
    const { tenantId, organizationName } = evidence
    const proof = proofOf(evidence)
    const certificate = signDocument(
      {
        certificateVersion: '1.0' as const,
        certificateType: 'session-anchor' as const,
        issuedAt: '2026-03-15T09:30:00.000Z',
        organizationName,
        tenantId,
        leafDefinition: 'leaf',
        commitmentDefinition: 'commitment',
        proof,
        statement: 'Not anchored on a public chain: local signed checkpoint 1.',
      },
      signer,
    )
    assert.equal(verdict(certificate), 'verified')
    assert.equal(verdict({ ...certificate, statement: 'Anchored on a public chain.' }), 'failed')
    const later = signDocument(
      { ...certificate, certificateVersion: '1.1', signatures: [] },
      signer,
    )
    assert.equal(verdict(later), 'undecided')
    const erasure = signDocument(
      {
        certificateVersion: '1.0',
        certificateType: 'erasure',
        ...{ organizationName, tenantId, erasureRequestId: 'ers_1', dataSubjectId: 'sub_1' },
        applicationIds: ['app_1'],
        requestedAt: '2026-03-15T09:30:00.000Z',
        completedAt: '2026-03-15T09:30:00.000Z',
        method: 'crypto-shredding',
        counts: { sessions: 2 },
        retained: ['Merkle roots and anchors'],
      },
      signer,
    )
    assert.equal(verdict(erasure), 'verified')
    assert.equal(verdict({ ...erasure, counts: { sessions: 3 } }), 'failed')
    for (const changed of [
      { certificateVersion: '1.1' },
      { method: 'deletion' },
      { dataSubjectId: '' },
      { applicationIds: ['app_1', 'app_1'] },
      { applicationIds: 'app_1' },
      { counts: { sessions: -1 } },
      { counts: { sessions: 1.5 } },
      { counts: { sessions: '2' } },
      { counts: null },
      { retained: [] },
      { retained: [1] },
      { completedAt: '2026-03-15T09:29:59.999Z' },
      { completedAt: '2026-02-30T09:30:00Z' },
      { requestedAt: null },
    ])
      assert.equal(verdict(signDocument({ ...erasure, ...changed }, signer)), 'failed')
  })

  it('verifies a ledger, and finds a missing, swapped, forged or doubled entry', () => {
    const sealed = { root: '01'.repeat(32), nonce: '02'.repeat(32) }
    const entries = [{ ...sampleAnchor(signer, sealed), nonce: null }]
    for (let sequence = 2; sequence < 6; sequence++) {
      const previousHash = entries.at(-1)?.entryHash ?? ''
      const entry = sampleAnchor(signer, { ...sealed, sequence, previousHash })
      entries.push({ ...entry, nonce: null })
    }
    assert.equal(verdict(entries), 'verified')
    const [first] = entries
    assert.ok(first)
    assert.equal(verdict(entries.with(0, { ...first, status: 'included' })), 'failed')
    assert.equal(verdict(entries.with(0, { ...first, entryHash: null })), 'failed')
    assert.equal(verdict([{ ...first, nonce: sealed.nonce }]), 'undecided')
    assert.equal(verdict({ anchors: entries.toReversed(), totalCount: 5 }), 'verified')
    assert.equal(verdict(entries.slice(2)), 'verified')
    assert.equal(failuresOf(entries.toSpliced(2, 1))[0]?.about, 'ledger entry 4')
    assert.equal(verdict([...entries, entries[1]]), 'failed')
    for (const [at, entry] of entries.entries()) {
      const changed = { ...entry, commitment: '03'.repeat(32), entryHash: null }
      assert.equal(failuresOf(entries.with(at, changed))[0]?.about, `ledger entry ${at + 1}`)
    }
    const alien = sampleEvidenceKey(new Uint8Array(32).fill(9))
    const forged = sampleAnchor(alien, { root: '01'.repeat(32), nonce: '02'.repeat(32) })
    assert.equal(verdict([{ ...forged, keyId: signer.keyId, entryHash: null }]), 'failed')
  })

  it('reads keys by their own thumbprint and refuses others', () => {
    // RFC 8037 appendix A.3.
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
    const thumbprint = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
    const jwk = { kty: 'OKP', crv: 'Ed25519', x, kid: 'lies' }
    assert.deepEqual([...(readEvidenceKeys(jwk)?.keys() ?? [])], [thumbprint])
    assert.deepEqual([...(readEvidenceKeys({ keys: [jwk] })?.keys() ?? [])], [thumbprint])
    assert.equal(thumbprintOf(Buffer.from(x, 'base64url')), thumbprint)
    const small = Buffer.from([1, ...Array<number>(31).fill(0)]).toString('base64url')
    for (const bad of [
      null,
      {},
      { ...jwk, crv: 'X25519' },
      { ...jwk, x: 'AA' },
      { ...jwk, x: small },
    ])
      assert.equal(readEvidenceKeys(bad), null)
  })
})
