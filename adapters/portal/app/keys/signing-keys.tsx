import type { SigningKeyAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api, serverNow } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { AskingButton } from '../parts/asking-button.tsx'
import { Copy } from '../parts/copy.tsx'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { useWords } from './words.ts'

/** The keys that sign for the organization. */
export function SigningKeys({ mayChange }: { readonly mayChange: boolean }) {
  const read = useRead('', (signal) => api.signingKeys.list({}, { signal }))
  const news = useSignal('')
  const columns: readonly Column<SigningKeyAnswer>[] = [
    { head: 'Signs', cell: ({ use }) => useWords[use] ?? use },
    { head: 'Version', cell: ({ keyVersion }) => keyVersion },
    {
      head: 'Public key',
      cell: ({ use, publicKey }) => (
        <>
          <code>{publicKey}</code>{' '}
          <Copy text={publicKey} what={`the public key of ${useWords[use] ?? use}`} />
        </>
      ),
    },
    { head: 'State', cell: (key) => <StateOf {...key} /> },
  ]
  const act: Column<SigningKeyAnswer> = {
    head: 'Change',
    cell: ({ use }) => (
      <AskingButton
        label={`Rotate: ${useWords[use] ?? use}`}
        title={`Rotate the key of ${useWords[use] ?? use}`}
        act="Rotate"
        run={() => api.signingKeys.rotate({ use })}
        then={({ keyVersion }) => {
          news.value = `Version ${keyVersion} of the key is there.`
          read.again()
        }}
        means={
          use === 'webhooks' ? (
            <p>
              The next key is published at once, signs after 24 hours, and for another 24 hours
              beside the one before. Receivers that keep a copy of the key have to take the new one
              within the first 24 hours.
            </p>
          ) : (
            <p>The new key signs at once. What was signed before stays valid by the key of then.</p>
          )
        }
      >
        Rotate
      </AskingButton>
    ),
  }
  return (
    <section aria-labelledby="signing-keys">
      <h2 id="signing-keys">Signing keys</h2>
      <p role="status">{news.value}</p>
      <Shown of={read}>
        {({ signingKeys }) =>
          signingKeys.length === 0 ? (
            <Empty>Nothing was signed yet; the first signature makes the key.</Empty>
          ) : (
            <Rows
              caption="Signing keys"
              columns={mayChange ? [...columns, act] : columns}
              rows={signingKeys}
              keyOf={({ use }) => use}
            />
          )
        }
      </Shown>
    </section>
  )
}

function StateOf({ signsFrom, previousSignsUntil }: SigningKeyAnswer) {
  const isLater = (at: string) => Date.parse(at) > serverNow()
  return (
    <>
      {isLater(signsFrom) ? 'Published, signs from ' : 'Signs since '}
      <Time at={signsFrom} />
      {previousSignsUntil !== null && isLater(previousSignsUntil) && (
        <>
          ; the one before signs until <Time at={previousSignsUntil} />
        </>
      )}
    </>
  )
}
