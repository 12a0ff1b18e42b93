import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  createSoftwareAuthenticator,
  type PackedStatement,
} from '@countersign/conformance/authenticator'
import { authenticators } from '@countersign/node'
import {
  attestationOf,
  type Certificate,
  type Certified,
  certify,
  challenge,
  expected,
  fingerprintOf,
  model,
  pemOf,
  place,
  registered,
} from './attestation-authority.ts'

const otherModel = 'fa2b99dc-9e39-4257-8f92-4a30d23c4118'
const noModel = '00000000-0000-0000-0000-000000000000'

describe('the attestation of an authenticator', () => {
  let root: Certified
  let authority: Certified
  let stranger: Certified
  before(async () => {
    root = await certify('Root', { ca: true })
    authority = await certify('Authority', { by: root, ca: true })
    stranger = await certify('Root', { ca: true })
  })

  /** Which root vouches for the model; `undefined` where the registration is refused as a whole. */
  async function rootOf(
    attest: ((signed: Uint8Array) => PackedStatement) | undefined,
    given: { readonly aaguid?: string; readonly roots?: readonly Certified[]; now?: number } = {},
  ) {
    const { aaguid = model, roots = [root] } = given
    const found = await registered(roots, attest, given)
    if (found) assert.equal(found.aaguid, aaguid)
    return found?.attestedBy
  }
  const leafBy = (by: Certified, given: Certificate = {}) =>
    certify('Key', { aaguid: model, by, ...given })

  it('leads to a root of its model, through authorities, the root sent or not', async () => {
    const direct = await leafBy(root)
    assert.equal(await rootOf(attestationOf(direct)), fingerprintOf(root))
    const leaf = await leafBy(authority)
    assert.equal(await rootOf(attestationOf(leaf, [authority])), fingerprintOf(root))
    assert.equal(await rootOf(attestationOf(leaf, [authority, root])), fingerprintOf(root))
    const several = { roots: [stranger, root] }
    assert.equal(await rootOf(attestationOf(leaf, [authority]), several), fingerprintOf(root))
  })

  it('proves nothing where there is none, or by the key itself', async () => {
    assert.equal(await rootOf(undefined), null)
    const itself = createSoftwareAuthenticator({ algorithm: 'ES256', ...place })
    const port = authenticators({ attestationRoots: { [model]: [pemOf(root)] } })
    const attest = (signed: Uint8Array): PackedStatement => {
      const data = Buffer.from(signed.subarray(0, -32)).toString('base64url')
      return { alg: -7, sig: Buffer.from(itself.signClient(data, clientData), 'base64url') }
    }
    const clientData = Buffer.from(
      JSON.stringify({
        type: 'webauthn.create',
        challenge,
        ...{ origin: place.origin, crossOrigin: false },
      }),
    ).toString('base64url')
    const { id, response } = itself.register({ challenge, aaguid: model, attest })
    assert.equal(response.clientDataJSON, clientData)
    const found = await port.verifyRegistration({ credential: { id, response }, ...expected })
    assert.equal(found?.attestedBy, null)
  })

  it('proves nothing under another root, or one whose name is the same', async () => {
    assert.equal(await rootOf(attestationOf(await leafBy(stranger))), null)
    const leaf = await leafBy(authority)
    assert.equal(await rootOf(attestationOf(leaf, [authority]), { roots: [stranger] }), null)
    assert.equal(await rootOf(attestationOf(leaf, [authority, stranger])), null)
    // Without the authority between them.
    assert.equal(await rootOf(attestationOf(leaf)), null)
  })

  it('proves nothing by an issuer that is no authority', async () => {
    const key = await leafBy(root)
    const leaf = await leafBy(key)
    assert.equal(await rootOf(attestationOf(leaf, [key])), null)
  })

  it('proves nothing when a certificate of the path is not valid at the time of the enrolment', async () => {
    const ended = { notAfter: new Date('2050-01-01') }
    const later = Date.UTC(2050, 5, 1)
    const leaf = await leafBy(authority, ended)
    assert.equal(await rootOf(attestationOf(leaf, [authority]), { now: later }), null)
    assert.equal(
      await rootOf(attestationOf(leaf, [authority]), { now: Date.UTC(2019, 0, 1) }),
      null,
    )
    const brief = await certify('Brief', { by: root, ca: true, notAfter: new Date('2021-01-01') })
    assert.equal(await rootOf(attestationOf(await leafBy(brief), [brief])), null)
    const old = await certify('Old root', { ca: true, notAfter: new Date('2021-01-01') })
    assert.equal(await rootOf(attestationOf(await leafBy(old)), { roots: [old] }), null)
  })

  it('refuses the registration by an expired certificate, a forged signature and another model in it', async () => {
    const expired = await leafBy(root, { notAfter: new Date('2021-01-01') })
    assert.equal(await rootOf(attestationOf(expired)), undefined)
    const leaf = await leafBy(root)
    const forged = attestationOf({ ...leaf, pair: stranger.pair })
    assert.equal(await rootOf(forged), undefined)
    const other = await leafBy(root, { aaguid: otherModel })
    assert.equal(await rootOf(attestationOf(other)), undefined)
    assert.equal(
      await rootOf(attestationOf(await leafBy(root, { unit: 'Web servers' }))),
      undefined,
    )
  })

  it('proves nothing of a model without roots, of none, or by a certificate that names none', async () => {
    const other = await leafBy(root, { aaguid: otherModel })
    assert.equal(await rootOf(attestationOf(other), { aaguid: otherModel }), null)
    const zeros = await leafBy(root, { aaguid: noModel })
    assert.equal(await rootOf(attestationOf(zeros), { aaguid: noModel }), null)
    assert.equal(await rootOf(attestationOf(await leafBy(root, { aaguid: null }))), null)
  })

  it('proves nothing with certificates above that are none', async () => {
    const leaf = await leafBy(root)
    const garbled = (signed: Uint8Array) => {
      const statement = attestationOf(leaf)(signed)
      const { certificate } = leaf
      return { ...statement, x5c: [new Uint8Array(certificate.rawData), Uint8Array.of(1, 2, 3)] }
    }
    assert.equal(await rootOf(garbled), null)
  })

  it('is by roots that are certificates of authorities, for models', async () => {
    const leaf = pemOf(await leafBy(root))
    const given = (attestationRoots: Record<string, string[]>) => () =>
      authenticators({ attestationRoots })
    for (const wrong of [
      { [model]: ['no certificate'] },
      { [model]: [leaf] },
      { [model]: [] },
      { [noModel]: [pemOf(root)] },
      { [model.toUpperCase()]: [pemOf(root)] },
    ])
      assert.throws(given(wrong), Error)
    assert.deepEqual([...(authenticators().models ?? [])], [])
    assert.deepEqual([...(given({ [model]: [pemOf(root)] })().models ?? [])], [model])
  })
})
