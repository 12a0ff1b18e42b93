import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { PackedStatement } from '@countersign/conformance/authenticator'
import fc from 'fast-check'
import {
  attestationOf,
  type Certificate,
  type Certified,
  certify,
  Extension,
  fingerprintOf,
  KeyUsageFlags,
  KeyUsagesExtension,
  model,
  modelExtension,
  pemOf,
  registered,
} from './attestation-authority.ts'

/** Whether an attestation leads to the root; one whose registration is refused as a whole does not. */
async function leads(root: Certified, attest: (signed: Uint8Array) => PackedStatement) {
  const attestedBy = (await registered([root], attest))?.attestedBy ?? null
  if (attestedBy !== null) assert.equal(attestedBy, fingerprintOf(root))
  return attestedBy !== null
}

const unknown = (critical: boolean) =>
  new Extension('1.3.6.1.4.1.99999.1', critical, Buffer.of(5, 0))
const nameConstraints = (critical: boolean) =>
  new Extension('2.5.29.30', critical, Buffer.of(48, 0))
const signsOnlyData = new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true)
const signsCertificates = new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)

/** What is wrong with an authority, or with the authenticator's own certificate. */
const wrongAuthority: Readonly<Record<string, Certificate>> = {
  'no authority': { ca: false },
  'says nothing of being one': { unconstrained: true },
  'an unknown critical extension': { extensions: [unknown(true)] },
  'critical constraints of names': { extensions: [nameConstraints(true)] },
  'an extension twice': { extensions: [unknown(false), unknown(false)] },
  'a key that signs no certificates': { extensions: [signsOnlyData] },
  ended: { notAfter: new Date('2021-01-01') },
  'not begun': { notBefore: new Date('2049-01-01') },
  'an issuer of another name': { issuer: 'CN=Another root' },
}
const wrongOwn: Readonly<Record<string, Certificate>> = {
  'an authority': { ca: true, unit: 'Authenticator Attestation' },
  'says nothing of being an authority': { unconstrained: true },
  'an unknown critical extension': { extensions: [unknown(true)] },
  'a critical model': { aaguid: null, extensions: [modelExtension(model, { critical: true })] },
  'a model twice': { extensions: [modelExtension(model)] },
  'bytes after the model': { aaguid: null, extensions: [modelExtension(model, { more: [0] })] },
  'no model': { aaguid: null },
  ended: { notAfter: new Date('2021-01-01') },
  'an issuer of another name': { issuer: 'CN=Another root' },
}
const harmless: readonly Certificate[] = [
  {},
  { extensions: [unknown(false)] },
  { extensions: [nameConstraints(false), signsCertificates] },
]

interface Path {
  /** Lengths that authorities allow below them, the root's first; null: any. */
  readonly lengths: readonly (number | null)[]
  readonly own: Certificate
  readonly authorities: readonly Certificate[]
  readonly isRootSent: boolean
}

async function attestationBy({ lengths, own, authorities, isRootSent }: Path) {
  const pathLengthAt = (at: number) => lengths[at] ?? undefined
  const root = await certify('Root', { ca: true, pathLength: pathLengthAt(0) })
  let by = root
  const above: Certified[] = isRootSent ? [root] : []
  for (const [at, given] of authorities.entries()) {
    const pathLength = given.ca === false ? undefined : pathLengthAt(at + 1)
    by = await certify(`Authority ${at}`, { by, ca: true, pathLength, ...given })
    above.unshift(by)
  }
  const leaf = await certify('Key', { aaguid: model, by, ...own })
  return { root, attest: attestationOf(leaf, above) }
}

const paths = fc.integer({ min: 0, max: 3 }).chain((count) =>
  fc.record({
    lengths: fc.array(fc.option(fc.nat(3)), { minLength: count + 1, maxLength: count + 1 }),
    own: fc.constantFrom(...harmless.slice(0, 2)),
    authorities: fc.array(fc.constantFrom(...harmless), { minLength: count, maxLength: count }),
    isRootSent: fc.boolean(),
  }),
)

/** Whether each authority allows as many below it as there are. */
const isShort = ({ lengths, authorities }: Path) =>
  lengths.every((length, at) => length === null || authorities.length - at <= length)

describe('the path of an attestation', () => {
  it('leads to the root where each authority allows its length', () =>
    fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const { root, attest } = await attestationBy(path)
        assert.equal(await leads(root, attest), isShort(path))
      }),
      { numRuns: 60 },
    ))

  it('leads nowhere with one certificate that is wrong', () =>
    fc.assert(
      fc.asyncProperty(
        paths,
        fc.nat(),
        fc.constantFrom(...Object.keys(wrongAuthority)),
        fc.constantFrom(...Object.keys(wrongOwn)),
        async (path, at, authority, own) => {
          const free = { ...path, lengths: path.lengths.map(() => null) }
          const place = at % (path.authorities.length + 1)
          const wrong =
            place === 0
              ? { ...free, own: wrongOwn[own] ?? {} }
              : {
                  ...free,
                  authorities: path.authorities.with(place - 1, wrongAuthority[authority] ?? {}),
                }
          const right = await attestationBy(free)
          assert.equal(await leads(right.root, right.attest), true)
          const { root, attest } = await attestationBy(wrong)
          assert.equal(await leads(root, attest), false, place === 0 ? own : authority)
        },
      ),
      { numRuns: 60 },
    ))

  for (const [name, given] of Object.entries(wrongOwn))
    it(`leads nowhere from an authenticator's certificate with this: ${name}`, async () => {
      const path = { lengths: [], authorities: [], isRootSent: false }
      const { root, attest } = await attestationBy({ ...path, own: given })
      assert.equal(await leads(root, attest), false)
    })

  for (const [name, given] of Object.entries(wrongAuthority))
    it(`leads nowhere past an authority with this: ${name}`, async () => {
      const path = { lengths: [], own: {}, isRootSent: false }
      const { root, attest } = await attestationBy({ ...path, authorities: [given] })
      assert.equal(await leads(root, attest), false)
    })

  it('leads nowhere with more certificates than a path has', async () => {
    for (const [authorities, isRight] of [
      [6, true],
      [7, false],
    ] as const) {
      const path = { lengths: [], own: {}, authorities: Array(authorities).fill({}) }
      const { root, attest } = await attestationBy({ ...path, isRootSent: true })
      assert.equal(await leads(root, attest), isRight)
    }
  })

  describe('of certificates that are written otherwise', () => {
    let root: Certified
    let authority: Certified
    let leaf: Certified
    before(async () => {
      root = await certify('Root', { ca: true })
      authority = await certify('Authority', { by: root, ca: true })
      leaf = await certify('Key', { aaguid: model, by: authority })
    })
    const written = (as: (der: Uint8Array, at: number) => Uint8Array<ArrayBuffer>) =>
      leads(root, (signed) => {
        const { x5c: _, ...statement } = attestationOf(leaf)(signed)
        const der = [leaf, authority].map((each) => new Uint8Array(each.certificate.rawData))
        return { ...statement, x5c: der.map(as) }
      })
    const after = (der: Uint8Array, more: Uint8Array) => new Uint8Array(Buffer.concat([der, more]))

    it('leads nowhere with bytes after the DER of one', async () => {
      assert.equal(await written((der) => after(der, Buffer.of())), true)
      for (const place of [0, 1])
        for (const more of [
          Buffer.of(0),
          Buffer.of(5, 0),
          new Uint8Array(authority.certificate.rawData),
        ])
          assert.equal(
            await written((der, at) => after(der, at === place ? more : Buffer.of())),
            false,
          )
    })

    it('leads nowhere with PEM in the place of DER', async () => {
      const pem = new Uint8Array(Buffer.from(pemOf(authority)))
      assert.equal(await written((der, at) => (at === 1 ? pem : after(der, Buffer.of()))), false)
    })
  })

  it('leads nowhere with certificates in another order, or one that is left out', async () => {
    const path = { lengths: [], own: {}, authorities: [{}, {}], isRootSent: true }
    const { root, attest } = await attestationBy(path)
    assert.equal(await leads(root, attest), true)
    const changed = (change: (x5c: readonly Uint8Array<ArrayBuffer>[]) => object) =>
      leads(root, (signed) => {
        const statement = attest(signed)
        return { ...statement, x5c: change(statement.x5c as never) } as PackedStatement
      })
    assert.equal(await changed(([own, one, two, top]) => [own, two, one, top]), false)
    assert.equal(await changed(([own, one, , top]) => [own, one, top]), false)
    assert.equal(await changed(([own, one, two]) => [own, one, one, two]), false)
  })
})
