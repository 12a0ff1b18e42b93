import { ApiError, type SigningModelsAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { signChange } from '../authenticators/sign-change.ts'
import { Text } from '../case/text.tsx'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Area } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Setting } from '../parts/setting.tsx'
import { session } from '../session.ts'

/** Of which models security keys must be that sign decisions of the organization, which admins set. */
export function SigningModels({ mayChange }: { readonly mayChange: boolean }) {
  const read = useRead('signing models', (signal) => api.signingModels.read({}, { signal }))
  return (
    <Setting
      id="signing-models"
      title="Models of security keys"
      change="Change the models"
      mayChange={mayChange}
      read={read}
      form={(before, onDone) => <Change before={before} again={read.again} onDone={onDone} />}
    >
      {({ models }) =>
        models.length === 0 ? (
          <p>Signatures of decisions are taken of authenticators of any model.</p>
        ) : (
          <>
            <p>
              Signatures of decisions are taken of these alone, and their makers vouch for them. Who
              has added no authenticator decides unsigned, where the application does not ask for a
              signature.
            </p>
            <Models models={models} />
          </>
        )
      }
    </Setting>
  )
}

function Change({
  before,
  again,
  onDone,
}: {
  /** As it is now; a change by another admin is shown beside what is entered. */
  readonly before: SigningModelsAnswer
  readonly again: () => void
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const opened = useSignal(before)
  const { version } = before
  const error = writing.error.value
  const send = async (entered: Entered) => {
    const models = modelsIn(entered('models'))
    const saved = await writing.run(async () => {
      try {
        return await api.signingModels.set({ models, version })
      } catch (error) {
        if (error instanceof ApiError && error.code === 'version_conflict') again()
        if (!(error instanceof ApiError) || error.code !== 'signature_required') throw error
        const subject = session.value?.tenantId ?? ''
        const setting = { operation: 'signingModels.set', value: { models } }
        const assertion = await signChange({ change: 'weaken', subject, setting })
        return api.signingModels.set({ models, version, assertion })
      }
    })
    if (saved) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Save">
      <Area
        label="Models that sign decisions"
        name="models"
        rows={6}
        value={linesOf(opened.value)}
        hint="One a line: its AAGUID, and what you call it. Without any, authenticators of all models sign. Members whose authenticators are none of these add another one before they decide again."
        error={error}
      />
      {version !== opened.value.version && (
        <>
          <p class="notice">
            Another admin changed the models meanwhile. What you save takes the place of{' '}
            {before.models.length === 0 ? 'any model.' : 'these:'}
          </p>
          <Models models={before.models} />
        </>
      )}
      {before.verifiable.length === 0 ? (
        <p class="notice">
          This service has no root certificates of any model, which its operator sets, so that none
          can be listed.
        </p>
      ) : (
        <details>
          <summary>Models that can be listed</summary>
          <ul>
            {before.verifiable.map((aaguid) => (
              <li key={aaguid}>
                <code>{aaguid}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p>
        To let more models sign than before, an authenticator of yours signs for it that was added
        24 hours before, or by one that was. All admins are told of any change by mail.
      </p>
    </Form>
  )
}

function Models({ models }: Pick<SigningModelsAnswer, 'models'>) {
  return (
    <ul>
      {models.map(({ aaguid, label }) => (
        <li key={aaguid}>
          <Text text={label} />, <code>{aaguid}</code>
        </li>
      ))}
    </ul>
  )
}

/** Models as lines to edit. */
function linesOf({ models }: SigningModelsAnswer): string {
  return models.map(({ aaguid, label }) => `${aaguid} ${label}\n`).join('')
}

/** The models that lines name. */
function modelsIn(text: string) {
  return text.split('\n').flatMap((line) => {
    const [, aaguid = '', label = ''] = /^(\S*)\s*(.*)$/s.exec(line.trim()) ?? []
    return aaguid === '' ? [] : [{ aaguid: aaguid.toLowerCase(), label: label || aaguid }]
  })
}
