import type { CaseAnswer } from '@countersign/client'
import { useReviewers } from '../client/use-reviewers.ts'
import { Failure } from '../parts/failure.tsx'
import { Area, Choice } from '../parts/field.tsx'
import { type Act, needsComment } from './deciding.ts'
import type { FormDraft } from './drafts.ts'
import type { ResponseField } from './response-fields.ts'
import { ResponseForm } from './response-form.tsx'
import { plainLine } from './safe-text.ts'

/** What is to be filled in for the act that was chosen. */
export function ActFields({
  act,
  draft,
  put,
  fields,
  faults,
  shown,
}: {
  readonly act: Act
  readonly draft: FormDraft
  readonly put: (change: Partial<FormDraft>) => void
  /** Of the response; null: it is one text. */
  readonly fields: readonly ResponseField[] | null
  readonly faults: readonly string[]
  readonly shown: CaseAnswer
}) {
  if (act === 'ask')
    return (
      <Area
        label="Question"
        name="question"
        rows={2}
        required
        value={draft.question}
        onInput={(event) => put({ question: event.currentTarget.value })}
      />
    )
  if (act === 'hand_over') return <Colleague draft={draft} put={put} shown={shown} />
  const isCommentNeeded = needsComment(act, shown)
  return (
    <>
      {act === 'respond' && fields && (
        <ResponseForm
          fields={fields}
          entered={draft.entered}
          faults={faults}
          onEnter={(name, text) => put({ entered: { ...draft.entered, [name]: text } })}
        />
      )}
      {act === 'respond' && !fields && (
        <Area
          label="Response to the application"
          name="response"
          rows={2}
          required
          value={draft.response}
          onInput={(event) => put({ response: event.currentTarget.value })}
        />
      )}
      <Area
        label="Comment"
        name="comment"
        rows={2}
        required={isCommentNeeded}
        value={draft.comment}
        hint={isCommentNeeded ? 'Required.' : 'May stay empty.'}
        onInput={(event) => put({ comment: event.currentTarget.value })}
      />
    </>
  )
}

/** To whom the case can be handed: active members who may review, but for who has it and who asked for the action. */
function Colleague({
  draft,
  put,
  shown: { assignment, requestedBy },
}: {
  readonly draft: FormDraft
  readonly put: (change: Partial<FormDraft>) => void
  readonly shown: CaseAnswer
}) {
  const members = useReviewers()
  const others = (members.data.value ?? [])
    .filter(([memberId]) => memberId !== assignment?.reviewerId && memberId !== requestedBy)
    .map(([memberId, name]) => [memberId, plainLine(name)] as const)
  return (
    <>
      <Failure error={members.error.value} again={members.again} />
      <Choice
        label="Reviewer"
        name="reviewerId"
        value={draft.colleague}
        onChange={(event) => put({ colleague: event.currentTarget.value })}
        hint={members.data.value && others.length === 0 ? 'Nobody else may review cases.' : ''}
        options={[['', '–'], ...others]}
      />
    </>
  )
}
