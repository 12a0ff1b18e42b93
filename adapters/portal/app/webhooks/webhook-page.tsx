import type { WebhookAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { type Reading, useRead } from '../client/use-read.ts'
import { useSummary } from '../client/use-summary.ts'
import { Copy } from '../parts/copy.tsx'
import { later } from '../parts/later.tsx'
import { Page, type PageProps, Shown } from '../parts/page.tsx'
import { Facts } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { isSandbox, to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { Deliveries } from './deliveries.tsx'
import { Gone } from './gone.tsx'
import { Hours } from './hours.tsx'
import { Missed } from './missed.tsx'
import { Status } from './status.tsx'
import { methods, reasons, selectionOf, verifications } from './words.ts'

/** For admins alone. */
const Acts = later(() => import('./acts.tsx'))

export default function WebhookPage({ params }: PageProps) {
  const { webhookId = '' } = params ?? {}
  const read = useRead(webhookId, (signal) => api.webhooks.read({ webhookId }, { signal }), {
    everyMs: 5_000,
  })
  const url = read.data.value?.url
  return (
    <Page title={url && URL.canParse(url) ? `Webhook at ${new URL(url).host}` : 'Webhook'}>
      <Shown of={read}>{(webhook) => <Webhook webhook={webhook} read={read} />}</Shown>
    </Page>
  )
}

function Webhook({
  webhook,
  read,
}: {
  readonly webhook: WebhookAnswer
  readonly read: Reading<WebhookAnswer>
}) {
  const { id, url, statusReason, turnedOffAt, verification, signing, description } = webhook
  const summary = useSummary()
  const mayManage = isAdmin.value && !isSandbox
  return (
    <>
      {statusReason && (
        <div class="notice">
          <p>
            {reasons[statusReason]} Off since <Time at={turnedOffAt} />.
          </p>
          {statusReason === 'endpoint_gone' && mayManage && <Gone id={id} again={read.again} />}
        </div>
      )}
      {mayManage && <Acts webhook={webhook} again={read.again} />}
      <Facts
        facts={[
          ['Address', <code key="url">{url}</code>],
          ['Id', <code key="id">{id}</code>],
          ['Status', <Status key="status" webhook={webhook} summary={summary} />],
          ['Gets', selectionOf(webhook)],
          ['For', description ?? '–'],
          [
            'Receiver',
            <>
              {verifications[verification.state]}, {verification.verifiedAt ? 'at' : 'asked at'}{' '}
              <Time at={verification.verifiedAt ?? verification.requestedAt} />
            </>,
          ],
          ['Signature', methods[signing.method]],
          ...keysOf(signing),
        ]}
      />
      <Hours webhookId={id} />
      <Deliveries webhookId={id} />
      <Missed webhook={webhook} />
      <p>
        <a href={to('/webhooks')}>All webhooks</a>
      </p>
    </>
  )
}

/** The keys that a receiver verifies with, and how long they do. */
function keysOf(signing: WebhookAnswer['signing']) {
  const { publicKey, nextPublicKey, nextSignsFrom, previousSecretValidUntil } = signing
  return [
    ['Key', `version ${signing.keyVersion}`] as const,
    ...(publicKey ? [['Public key', <Key key="now" text={publicKey} />] as const] : []),
    ...(nextPublicKey
      ? [
          [
            'Next public key',
            <>
              <Key text={nextPublicKey} /> signs from <Time at={nextSignsFrom} />
            </>,
          ] as const,
        ]
      : []),
    ...(previousSecretValidUntil
      ? [
          [
            'Previous secret',
            <>
              signs too until <Time at={previousSecretValidUntil} />
            </>,
          ] as const,
        ]
      : []),
  ]
}

function Key({ text }: { readonly text: string }) {
  return (
    <>
      <code>{text}</code> <Copy text={text} what="the public key" />
    </>
  )
}
