import { verifyLegacy } from '@countersign/core/signing'
import { commit } from '../disk.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, broken, orElse } from './fault.ts'

const { authenticate, store } = soundSteps

export const older: readonly BrokenReceiver[] = [
  broken('compares the digits that are there', 'legacy.signature', () => ({
    authenticate: orElse(({ joined, body }, { legacyKeys: [key] }) => {
      const given = joined['x-service-signature']
      return given !== undefined && `sha256=${key?.mac('', body, 'hex')}`.startsWith(given)
    }),
  })),
  broken('refuses a second legacy signature', 'legacy.rotation', () => ({
    authenticate: (inbound, around) =>
      inbound.joined['x-service-signature-next'] === undefined
        ? authenticate(inbound, around)
        : {
            ok: verifyLegacy({
              headers: { 'x-service-signature': inbound.joined['x-service-signature-next'] },
              body: inbound.body,
              keys: around.legacyKeys,
            }).ok,
            family: 'legacy',
            id: null,
          },
  })),
  broken('knows copies by webhook-id, which the legacy family lacks', 'legacy.one-effect', () => ({
    store: (id, body, around) => {
      const isReview = Buffer.from(body).includes('"schemaVersion"')
      if (isReview) return store(id, body, around)
      return commit(around, () => {
        around.disk.events.set(id, body)
        return true
      })
    },
  })),
  broken('takes the legacy signature for reviews', 'legacy.not-for-review', () => ({
    admit: () => null,
  })),
]
