import { useId } from 'preact/hooks'
import type { ResponseField } from './response-fields.ts'
import { plainLine } from './safe-text.ts'
import { Text } from './text.tsx'

/** The fields that the application asks a reviewer to fill in; they are drawn as texts, whatever they are called. */
export function ResponseForm({
  fields,
  entered,
  faults,
  onEnter,
}: {
  readonly fields: readonly ResponseField[]
  readonly entered: Readonly<Record<string, string>>
  readonly faults: readonly string[]
  readonly onEnter: (name: string, text: string) => void
}) {
  return (
    <>
      {fields.map((field) => (
        <ResponseInput
          key={field.name}
          field={field}
          text={Object.hasOwn(entered, field.name) ? (entered[field.name] ?? '') : field.initial}
          isFault={faults.includes(field.name)}
          onEnter={(text) => onEnter(field.name, text)}
        />
      ))}
    </>
  )
}

function ResponseInput({
  field,
  text,
  isFault,
  onEnter,
}: {
  readonly field: ResponseField
  readonly text: string
  readonly isFault: boolean
  readonly onEnter: (text: string) => void
}) {
  const id = useId()
  const { type, choices, hint, isRequired, least, most } = field
  const shared = { id, 'aria-describedby': `${id}-note`, 'aria-required': isRequired }
  const range = [least !== null && `at least ${least}`, most !== null && `at most ${most}`]
  const notes = [isRequired ? 'required' : 'may stay empty', ...range].filter(Boolean).join(', ')
  const options = type === 'yes_no' ? ['true', 'false'] : choices
  return (
    <div class="field">
      <label for={id}>
        <Text text={field.label} />
      </label>
      {type === 'choice' || type === 'yes_no' ? (
        <select {...shared} value={text} onChange={(event) => onEnter(event.currentTarget.value)}>
          <option value="">–</option>
          {options.map((option) => (
            <option key={option} value={option} selected={option === text}>
              {type === 'yes_no' ? (option === 'true' ? 'Yes' : 'No') : plainLine(option)}
            </option>
          ))}
        </select>
      ) : type === 'text' ? (
        <textarea
          {...shared}
          rows={text.length > 80 ? 4 : 1}
          value={text}
          onInput={(event) => onEnter(event.currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          inputMode={type === 'integer' ? 'numeric' : 'decimal'}
          value={text}
          onInput={(event) => onEnter(event.currentTarget.value)}
        />
      )}
      <p id={`${id}-note`} class={isFault ? 'fault' : 'quiet'}>
        {hint !== null && (
          <>
            <Text text={hint} /> ·{' '}
          </>
        )}
        {notes}
      </p>
    </div>
  )
}
