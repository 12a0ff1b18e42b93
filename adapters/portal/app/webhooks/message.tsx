import type { DeliveryAttemptAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Copy } from '../parts/copy.tsx'
import { Raw } from '../parts/raw.tsx'
import { curlOf } from './curl.ts'

type Headers = Readonly<Record<string, string>>

/** What a try sent, and what came back. */
export function Message({
  webhookId,
  body,
  attempt,
}: {
  readonly webhookId: string
  readonly body: string | null
  readonly attempt: DeliveryAttemptAnswer | undefined
}) {
  const webhook = useRead(webhookId, (signal) => api.webhooks.read({ webhookId }, { signal }))
  const url = webhook.data.value?.url
  return (
    <>
      <section aria-labelledby="request">
        <h2 id="request" tabIndex={-1}>
          Request
        </h2>
        {attempt && <HeaderList headers={attempt.requestHeaders} of="request" />}
        {body === null ? (
          <p>Its text was removed together with the application.</p>
        ) : (
          <Raw text={body} label="Body of the request" />
        )}
        {attempt && body !== null && url && (
          <p>
            The same request from a shell:{' '}
            <Copy text={curlOf(url, attempt.requestHeaders, body)} what="the request for curl" />
          </p>
        )}
      </section>
      {attempt && (
        <section aria-labelledby="response">
          <h2 id="response" tabIndex={-1}>
            Response
          </h2>
          {attempt.responseStatus === null ? (
            <p>There was none{attempt.error ? `: ${attempt.error}` : ''}.</p>
          ) : (
            <>
              <p>Status {attempt.responseStatus}</p>
              {attempt.responseHeaders && (
                <HeaderList headers={attempt.responseHeaders} of="response" />
              )}
              {attempt.responseBody ? (
                <Raw text={attempt.responseBody} label="Body of the response" />
              ) : (
                <p class="quiet">Without a body.</p>
              )}
              {attempt.truncated && <p>Only the beginning was kept.</p>}
            </>
          )}
        </section>
      )}
    </>
  )
}

function HeaderList({ headers, of }: { readonly headers: Headers; readonly of: string }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return <Raw text={lines.join('\n')} label={`Headers of the ${of}`} />
}
