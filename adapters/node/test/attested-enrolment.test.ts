import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  createSoftwareAuthenticator,
  type PackedStatement,
} from '@countersign/conformance/authenticator'
import { collections, createService, logs, unwrap } from '@countersign/core'
import {
  createManualClock,
  createMemoryStore,
  newOrganization,
  plainPorts,
} from '@countersign/core/testing'
import { authenticators } from '@countersign/node'
import { attestationOf, certify, fingerprintOf, pemOf } from './attestation-authority.ts'

const aaguid = '2fc0579f-8113-47ea-b116-bb5a8db9202a'
const origin = 'https://portal.example'
const use = 'signing' as const

it('a listed model is enrolled by its maker’s certificate, and by no other', async () => {
  const [root, stranger] = [
    await certify('Root', { ca: true }),
    await certify('Root', { ca: true }),
  ]
  const service = createService({
    ports: {
      ...plainPorts(),
      authenticators: authenticators({ attestationRoots: { [aaguid]: [pemOf(root)] } }),
      store: createMemoryStore({ collections, logs }),
      clock: createManualClock(Date.UTC(2026, 10, 21)),
    },
    ingestUrl: 'https://ingest.example',
    portalUrl: origin,
  })
  const { admin } = await newOrganization(service)
  const models = [{ aaguid, label: 'Blue' }]
  unwrap(await service.signingModels.set(admin, { models }))
  const enrol = async (attest?: (signed: Uint8Array) => PackedStatement) => {
    const proof = { password: 'correct horse battery', address: '192.0.2.1' }
    const begun = await service.authenticators.startRegistration(admin, { use, ...proof })
    const { challenge } = unwrap(begun).options as { readonly challenge: string }
    const key = createSoftwareAuthenticator({ algorithm: 'ES256', rpId: 'portal.example', origin })
    const { id, response } = key.register({ challenge, aaguid, ...(attest && { attest }) })
    return service.authenticators.enrol(admin, { name: 'Key', use, credential: { id, response } })
  }
  const codeOf = async (attest?: (signed: Uint8Array) => PackedStatement) => {
    const result = await enrol(attest)
    return result.ok ? null : result.refusal.code
  }
  const byStranger = await certify('Key', { by: stranger, aaguid })
  assert.equal(await codeOf(), 'authenticator_not_allowed')
  assert.equal(await codeOf(attestationOf(byStranger)), 'authenticator_not_allowed')
  const leaf = await certify('Key', { by: root, aaguid })
  const forged = attestationOf({ ...leaf, pair: byStranger.pair })
  assert.equal(await codeOf(forged), 'signature_invalid')
  assert.equal(unwrap(await enrol(attestationOf(leaf))).attestedBy, fingerprintOf(root))
})
