import type { SignedDecisionsAnswer } from '@countersign/client'
import {
  type SignedDecisionMode,
  signedDecisionModes,
  weakens,
} from '@countersign/core/signing-rule'
import { useSignal } from '@preact/signals'
import { signChange } from '../authenticators/sign-change.ts'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Choice, Tick } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Facts } from '../parts/rows.tsx'
import { Setting } from '../parts/setting.tsx'

const words: Readonly<Record<SignedDecisionMode, string>> = {
  optional: 'by those who have added an authenticator',
  elevated: 'by these, and on all cases of the tiers high and urgent',
  required: 'on all cases',
}

/** Which decisions on an application's cases must be signed by their reviewers. */
export function SignedDecisions({
  applicationId,
  mayManage,
}: {
  readonly applicationId: string
  readonly mayManage: boolean
}) {
  const read = useRead(`signed decisions ${applicationId}`, (signal) =>
    api.signedDecisions.read({ applicationId }, { signal }),
  )
  return (
    <Setting
      id="signed-decisions"
      title="Signatures of reviewers"
      change="Change signatures"
      mayChange={mayManage}
      read={read}
      form={(before, onDone) => (
        <Rule applicationId={applicationId} before={before} onDone={onDone} />
      )}
    >
      {({ signedDecisions, refuseSynced }) => (
        <Facts
          facts={[
            ['Decisions are signed', words[signedDecisions]],
            ['Authenticators that can be copied to other devices', refuseSynced ? 'no' : 'yes'],
          ]}
        />
      )}
    </Setting>
  )
}

function Rule({
  applicationId,
  before,
  onDone,
}: {
  readonly applicationId: string
  readonly before: SignedDecisionsAnswer
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const mode = useSignal(before.signedDecisions)
  const refusesSynced = useSignal(before.refuseSynced)
  const modeOf = (value: string) => signedDecisionModes.find((one) => one === value) ?? mode.value
  const isWeaker = weakens(before, {
    signedDecisions: mode.value,
    refuseSynced: refusesSynced.value,
  })
  const send = async (entered: Entered) => {
    const signedDecisions = modeOf(entered('signedDecisions'))
    const refuseSynced = entered('refuseSynced') === 'on'
    const value = { signedDecisions, refuseSynced }
    const rule = { applicationId, ...value }
    const saved = await writing.run(async () => {
      if (!isWeaker) return api.signedDecisions.set(rule)
      const setting = { operation: 'signedDecisions.set', value }
      const assertion = await signChange({ change: 'weaken', subject: applicationId, setting })
      return api.signedDecisions.set({ ...rule, assertion })
    })
    if (saved) onDone()
  }
  const error = writing.error.value
  return (
    <Form writing={writing} onSend={send} send="Save">
      <Choice
        label="Decisions are signed"
        name="signedDecisions"
        options={signedDecisionModes.map((one) => [one, words[one]] as const)}
        value={mode.value}
        onChange={({ currentTarget: { value } }) => {
          mode.value = modeOf(value)
        }}
        hint="Who has to sign and has no authenticator can not decide. Tiers are chosen by the application, or by its policy rules: where those are not to say who signs, it is all cases."
        error={error}
      />
      <Tick
        label="Refuse authenticators that can be copied to other devices"
        name="refuseSynced"
        ticked={before.refuseSynced}
        onTick={(ticked) => {
          refusesSynced.value = ticked
        }}
        error={error}
      />
      {isWeaker && (
        <p class="notice">
          This lets more through than before. An authenticator of yours signs for it that was added
          24 hours before, or by one that was, and all admins are told by mail.
        </p>
      )}
    </Form>
  )
}
