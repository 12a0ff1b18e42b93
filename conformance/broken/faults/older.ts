import { verifyService } from '@countersign/core/signing'
import { commit } from '../disk.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, broken, orElse } from './fault.ts'

const { authenticate, store } = soundSteps

export const older: readonly BrokenReceiver[] = [
  broken('compares the digits that are there', 'service.signature', () => ({
    authenticate: orElse(({ joined, body }, { serviceKeys: [key] }) => {
      const given = joined['x-service-signature']
      return given !== undefined && `sha256=${key?.mac('', body, 'hex')}`.startsWith(given)
    }),
  })),
  broken('refuses a second older signature', 'service.rotation', () => ({
    authenticate: (inbound, around) =>
      inbound.joined['x-service-signature-next'] === undefined
        ? authenticate(inbound, around)
        : {
            ok: verifyService({
              headers: { 'x-service-signature': inbound.joined['x-service-signature-next'] },
              body: inbound.body,
              keys: around.serviceKeys,
            }).ok,
            family: 'service',
            id: null,
          },
  })),
  broken('knows copies by webhook-id, which the older family lacks', 'service.one-effect', () => ({
    store: (id, body, around) => {
      const isReview = Buffer.from(body).includes('"schemaVersion"')
      if (isReview) return store(id, body, around)
      return commit(around, () => {
        around.disk.events.set(id, body)
        return true
      })
    },
  })),
  broken('takes the older signature for reviews', 'service.not-for-review', () => ({
    admit: () => null,
  })),
]
