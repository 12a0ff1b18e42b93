import { createPublicKey, verify } from 'node:crypto'
import { expect } from '../assert.ts'
import { canonicalText } from '../canonical.ts'
import { type Body, granted, type World } from './world.ts'

/** That a text was signed by the evidence key of this id, of the suite's organization unless another is given. */
export async function signedBy(
  world: World,
  text: string | Uint8Array,
  keyId: string,
  signature: string,
  tenantId: string = world.tenantId,
): Promise<void> {
  const path = `/.well-known/evidence-keys/${tenantId}`
  const { keys } = granted(await world.nobody.portal.get(path))
  const found = (keys as readonly Body[]).find(({ kid }) => kid === keyId)
  expect(found !== undefined, `expected the key ${keyId} at ${path}`)
  const key = createPublicKey({ key: { ...found }, format: 'jwk' })
  expect(
    verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64')),
    `expected a signature by ${keyId}`,
  )
}

/** That a document is signed over its canonical form without `signatures`. */
export async function expectSigned(world: World, document: Body): Promise<void> {
  const { signatures, ...signed } = document
  const [first] = signatures as readonly Body[]
  expect(first?.alg === 'Ed25519', `expected a signature with Ed25519, got ${String(first?.alg)}`)
  await signedBy(world, canonicalText(signed), String(first.keyId), String(first.sig))
}
