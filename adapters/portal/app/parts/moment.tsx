import { useId } from 'preact/hooks'
import { isoOf, localOf } from '../filters.ts'

/** A field for a moment, in the reader's time zone. */
export function Moment({
  label,
  at,
  onChange,
}: {
  readonly label: string
  /** In ISO 8601. */
  readonly at: string | undefined
  readonly onChange: (at: string | undefined) => void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={localOf(at)}
        onChange={(event) => onChange(isoOf(event.currentTarget.value))}
      />
    </div>
  )
}
