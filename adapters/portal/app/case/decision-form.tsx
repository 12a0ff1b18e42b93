import type { CaseAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Failure } from '../parts/failure.tsx'
import { useKeys } from '../parts/keys.ts'
import { useServerNow } from '../parts/time-left.tsx'
import { isSandbox } from '../paths.ts'
import { isAdmin, may, session } from '../session.ts'
import { ActFields } from './act-fields.tsx'
import {
  type Act,
  type Block,
  blockOf,
  type Facts,
  lackOf,
  settlingMs,
  type Unread,
} from './deciding.ts'
import { actNames, blocks, consequenceOf, lacks, sendNames } from './decision-words.ts'
import { draftOf, dropDraft, emptyDraft, type FormDraft, keepDraft } from './drafts.ts'
import type { Names } from './names.ts'
import { askedOf } from './parts.ts'
import { readResponse, responseFields } from './response-fields.ts'
import type { Acts } from './use-acts.ts'
import type { Front } from './use-front.ts'

/** In the order of the form; the letters are also its keys. */
const choices: readonly (readonly [act: Act, key: string])[] = [
  ['reject', 'r'],
  ['approve', 'a'],
  ['respond', 's'],
  ['ask', 'f'],
  ['hand_over', 'm'],
]

/** Reasons for which there is nothing to choose. */
const whole: readonly (Block | null)[] = [
  'unassigned',
  'assigned',
  'no_right',
  'requester',
  'sandbox',
]

/** Where an act takes what it needs. */
const fieldsToFill = '.sending :is(textarea, select, input)'

/** From a field back to what was chosen, where single keys do something again. */
function leaveField({ currentTarget, target }: TargetedKeyboardEvent<HTMLFormElement>): void {
  if (target instanceof Element && target.matches(fieldsToFill))
    currentTarget.querySelector<HTMLElement>('.choices :checked')?.focus()
}

/** Where a reviewer chooses what becomes of a case, and then sends it: two acts, none of them by accident. */
export default function DecisionForm({
  shown,
  latest,
  digest,
  unseen,
  unread,
  names,
  acts,
  front,
  toUnseen,
}: {
  readonly shown: CaseAnswer
  readonly latest: CaseAnswer
  /** Undefined: not computed yet. */
  readonly digest: string | null | undefined
  readonly unseen: number
  readonly unread: Unread | null
  readonly names: Names
  readonly acts: Acts
  readonly front: Front
  /** Leads to the first part that was not seen yet. */
  readonly toUnseen: () => void
}) {
  const memberId = session.value?.member.memberId ?? ''
  const { reviewCaseId } = shown
  const now = useServerNow()
  const draft = useSignal<FormDraft>(draftOf(memberId, reviewCaseId))
  /** What could not be chosen or sent; beside the button, the reason of the chosen act can be seen already. */
  const refused = useSignal<Act | null>(null)
  const id = useId()
  const facts: Facts = {
    shown,
    latest,
    memberId,
    mayReview: may('Review Cases') || isAdmin.value,
    isAdmin: isAdmin.value,
    isSandbox,
    now,
    digest: digest ?? null,
    isDigesting: digest === undefined,
    unseen,
    isRunning: acts.writing.running.value,
    isUnknown: acts.isUnknown.value,
    unread,
  }
  const put = (change: Partial<FormDraft>) => {
    draft.value = { ...draft.value, ...change }
    keepDraft(memberId, reviewCaseId, draft.value)
  }
  const chosenAt = useRef(Number.NEGATIVE_INFINITY)
  // Another document is chosen for anew; the texts stay.
  const chosenFor = useRef(shown.presentationDigest)
  useEffect(() => {
    if (chosenFor.current === shown.presentationDigest) return
    chosenFor.current = shown.presentationDigest
    draft.value = { ...draft.value, act: null }
  }, [shown.presentationDigest])
  useEffect(() => {
    if (!acts.isUnknown.value) return
    const timer = setInterval(() => void acts.lookUp(), 3_000)
    return () => clearInterval(timer)
  }, [acts.isUnknown.value])

  const fields = responseFields(askedOf(shown.presentation, shown.adopted).respond)
  const read = fields && readResponse(fields, draft.value.entered)
  const text = draft.value.response.trim() === '' ? null : draft.value.response
  const response = read ? (read.faults.length === 0 ? read.value : null) : text
  const { act } = draft.value
  const input = { ...draft.value, response }
  const block = act && blockOf(act, facts)
  const lack = act && !block ? lackOf(act, input, shown) : null
  const whyNot = (wanted: Act): string | null => {
    const why = blockOf(wanted, facts)
    if (why) return blocks[why]
    return wanted === act && lack ? lacks[lack] : null
  }

  function choose(next: Act, event: Event): void {
    if (!front.isMeant(event)) {
      event.preventDefault()
      return
    }
    const why = blockOf(next, facts)
    refused.value = why && next
    if (why) {
      event.preventDefault()
      if (why === 'unseen') toUnseen()
      return
    }
    put({ act: next })
    chosenAt.current = event.timeStamp
  }

  async function send(event: Event): Promise<void> {
    if (!act || !front.isMeant(event)) return
    // To choose and to send are two acts: keys that come in one stroke are none.
    if (event.timeStamp - chosenAt.current < settlingMs) return
    refused.value = block || lack ? act : null
    if (block || lack) return
    if (await acts.send(act, shown, { ...input, digest: digest ?? null })) {
      draft.value = emptyDraft
      dropDraft(memberId, reviewCaseId)
    }
    front.reset()
  }

  async function claim(event: Event): Promise<void> {
    if (!front.isMeant(event) || blockOf('claim', facts)) return
    await acts.send('claim', shown, { ...input, digest: digest ?? null })
    front.reset()
  }

  const form = useRef<HTMLFormElement>(null)
  // What is typed after the key goes into the field: on the choice, its letters would choose something else.
  const keysChosen = useSignal(0)
  useLayoutEffect(() => {
    if (keysChosen.value > 0) form.current?.querySelector<HTMLElement>(fieldsToFill)?.focus()
  }, [keysChosen.value])
  const byKey = (next: Act) => (event: KeyboardEvent) => {
    choose(next, event)
    if (event.repeat || draft.value.act !== next) return
    keysChosen.value++
  }
  useKeys({
    c: { does: 'claim the case', run: (event) => void claim(event) },
    ...Object.fromEntries(
      choices.map(([next, key]) => [
        key,
        { does: `choose: ${actNames[next].toLowerCase()}`, run: byKey(next) },
      ]),
    ),
  })

  const own = blockOf('reject', facts)
  const claimable = blockOf('claim', facts) === null
  const open = choices.filter(
    ([next]) => !whole.includes(own) || (next === 'hand_over' && !blockOf(next, facts)),
  )
  return (
    <form
      class="decide"
      aria-label="Decision"
      tabIndex={-1}
      ref={form}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key === 'Escape') leaveField(event)
        if (event.key !== 'Enter') return
        if (event.ctrlKey || event.metaKey) void send(event)
        // A key that is held presses its button again and again.
        if (
          event.repeat ||
          event.ctrlKey ||
          event.metaKey ||
          event.target instanceof HTMLInputElement
        )
          event.preventDefault()
      }}
    >
      <Failure error={acts.isUnknown.value ? null : acts.writing.error.value} />
      {acts.lost.value === 'not_done' && (
        <p class="news" role="alert">
          No answer came, so the case was read again: so far nothing was done. What was sent may
          still arrive, which would show here; you can also send it again.
        </p>
      )}
      {whole.includes(own) && own && (
        <p>
          {own === 'assigned' && shown.assignment
            ? `${names.holder(shown.assignment.reviewerId)} has the case.`
            : claimable
              ? 'Nobody has the case. Whoever claims it decides it.'
              : blocks[own]}{' '}
          {claimable && (
            <button type="button" class="primary" onClick={(event) => void claim(event)}>
              Claim <kbd>C</kbd>
            </button>
          )}
        </p>
      )}
      {open.length > 0 && (
        <fieldset class="choices">
          <legend>Choose</legend>
          {open.map(([next, key]) => {
            const why = blockOf(next, facts)
            return (
              <label key={next} class="choice">
                <input
                  type="radio"
                  name={`${id}-act`}
                  id={`${id}-${next}`}
                  checked={act === next}
                  aria-disabled={why !== null}
                  aria-describedby={why === 'unseen' ? `${id}-unseen` : undefined}
                  onClick={(event) => choose(next, event)}
                />
                {actNames[next]} <kbd>{key.toUpperCase()}</kbd>
              </label>
            )
          })}
        </fieldset>
      )}
      {open.length > 1 && blockOf('approve', facts) === 'unseen' && (
        <p id={`${id}-unseen`} class="quiet">
          Approve comes once all was seen.{' '}
          <button type="button" class="link" onClick={toUnseen}>
            {unseen === 1 ? '1 part is left' : `${unseen} parts are left`}
          </button>
        </p>
      )}
      {act && open.some(([next]) => next === act) && (
        <div class="sending">
          <ActFields
            act={act}
            draft={draft.value}
            put={put}
            fields={fields}
            faults={read?.faults ?? []}
            shown={shown}
          />
          <div class="send">
            <button
              type="button"
              class="primary"
              aria-disabled={block !== null || lack !== null}
              aria-describedby={`${id}-why`}
              onClick={(event) => void send(event)}
            >
              {sendNames[act]} <kbd>Ctrl Enter</kbd>
            </button>
            <button type="button" onClick={() => put({ act: null })}>
              Not yet
            </button>
            <p id={`${id}-why`} class="quiet">
              {whyNot(act) ?? consequenceOf(act)}
            </p>
          </div>
        </div>
      )}
      <p role="status" class={refused.value === act ? 'unseen' : 'said'}>
        {refused.value && whyNot(refused.value)}
      </p>
    </form>
  )
}
