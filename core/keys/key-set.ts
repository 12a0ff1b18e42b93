import type { Clock } from '../base/ports/clock.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { listOf, object } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import { just, line } from '../kernel/shape.ts'
import type { IssuerKeys } from './issuer-keys.ts'

const { reading } = operationsWith<{
  readonly keys: Pick<IssuerKeys, 'keySet'>
  readonly clock: Pick<Clock, 'now'>
}>()

const jwk = {
  kty: just('OKP'),
  crv: just('Ed25519'),
  x: line(longest.id),
  kid: line(longest.id),
  use: just('sig'),
  alg: just('EdDSA'),
}

/** Public keys as a JWK set (RFC 7517, RFC 8037). */
export const keySetShape = object({ keys: listOf(object(jwk)) }, 'KeySet')

/** The public keys that verify events and callbacks of an organization. */
export const readWebhookKeys = reading({
  name: 'webhookKeys.read',
  doc: "Read the tenant's public keys as a JWK set",
  by: 'anyone',
  right: null,
  takes: { tenantId: line(longest.id) },
  gives: keySetShape,
  refuses: ['not_found'],
  run: async ({ tools, orRefuse }, { tenantId }) =>
    orRefuse(await tools.keys.keySet(tenantId, tools.clock.now())),
})
