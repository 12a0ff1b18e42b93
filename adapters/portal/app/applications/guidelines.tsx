import type { ReviewerGuidelinesAnswer } from '@countersign/client'
import { Text } from '../case/text.tsx'
import { api } from '../client/api.ts'
import { useMemberNames } from '../client/names.ts'
import { useRead } from '../client/use-read.ts'
import { useWrite } from '../client/use-write.ts'
import { Area } from '../parts/field.tsx'
import { type Entered, Form } from '../parts/form.tsx'
import { Empty } from '../parts/page.tsx'
import { Setting } from '../parts/setting.tsx'
import { Time } from '../parts/time.tsx'

/** The most characters of guidelines (interface, Reviewer guidelines). */
const longest = 10_000

/** What the application's reviewers are asked to go by, which admins write. */
export function Guidelines({
  applicationId,
  mayManage,
}: {
  readonly applicationId: string
  readonly mayManage: boolean
}) {
  const names = useMemberNames()
  const read = useRead(`guidelines ${applicationId}`, (signal) =>
    api.reviewerGuidelines.read({ applicationId }, { signal }),
  )
  return (
    <Setting
      id="guidelines"
      title="Guidelines for reviewers"
      change="Write guidelines"
      mayChange={mayManage}
      read={read}
      form={(before, onDone) => (
        <Writer applicationId={applicationId} before={before} onDone={onDone} />
      )}
    >
      {({ guidelines, updatedAt, updatedBy }) =>
        guidelines === null ? (
          <Empty>
            <p>There are none. Reviewers would see them beside each case of the application.</p>
          </Empty>
        ) : (
          <>
            <p>
              <Text text={guidelines} />
            </p>
            <p class="quiet">
              Of <Time at={updatedAt} />
              {updatedBy && <> by {names.get(updatedBy) ?? updatedBy}</>}
            </p>
          </>
        )
      }
    </Setting>
  )
}

function Writer({
  applicationId,
  before,
  onDone,
}: {
  readonly applicationId: string
  readonly before: ReviewerGuidelinesAnswer
  readonly onDone: () => void
}) {
  const writing = useWrite()
  const send = async (entered: Entered) => {
    const text = entered('guidelines')
    const guidelines = text.trim() === '' ? null : text
    if (await writing.run(() => api.reviewerGuidelines.set({ applicationId, guidelines }))) onDone()
  }
  return (
    <Form writing={writing} onSend={send} send="Save">
      <Area
        label="Guidelines"
        name="guidelines"
        rows={12}
        maxLength={longest}
        value={before.guidelines ?? ''}
        hint="Plain text. Nobody signs it, and no rule checks it. Left empty, there are none."
        error={writing.error.value}
      />
    </Form>
  )
}
