import { ApiError } from '@countersign/client'
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

interface Common {
  readonly label: string
  /** Below the field, before anything was entered. */
  readonly hint?: ComponentChildren
  /** The name of the member in the request's body; faults that point at it show here. */
  readonly name: string
  /** How the last try failed. */
  readonly error?: unknown
}

/** What an error says of one member of the body. */
export function faultAt(error: unknown, name: string): string | null {
  if (!(error instanceof ApiError)) return null
  const found = error.errors.find(
    ({ pointer, parameter }) =>
      parameter === name || pointer === `/${name}` || pointer?.startsWith(`/${name}/`),
  )
  return found?.detail ?? null
}

/** A value that nobody follows is where the field begins: what was typed since stays when it is drawn again. */
function initially<Props extends { value?: unknown; onChange?: unknown; onInput?: unknown }>(
  props: Props,
): Props {
  if (props.onChange || props.onInput || props.value === undefined) return props
  const { value, ...others } = props
  return { ...others, defaultValue: value } as unknown as Props
}

/** What a control takes so that its label and its note are its own. */
interface Marks {
  readonly id: string
  readonly name: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
}

/** A control between its label and its hint or fault. */
function Labelled({
  label,
  hint,
  error,
  name,
  control,
}: Common & { readonly control: (marks: Marks) => ComponentChildren }) {
  const id = useId()
  const fault = faultAt(error, name)
  const note = `${id}-note`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, name, 'aria-invalid': fault !== null, 'aria-describedby': note })}
      <Note id={note} hint={hint} fault={fault} />
    </div>
  )
}

/** A text field with its label, hint and fault. */
export function Field({
  label,
  hint,
  error,
  name,
  ...input
}: Common & JSX.IntrinsicElements['input']) {
  return (
    <Labelled
      label={label}
      hint={hint}
      error={error}
      name={name}
      control={(marks) => <input {...initially(input)} {...marks} />}
    />
  )
}

/** A text of some lines with its label, hint and fault. */
export function Area({
  label,
  hint,
  error,
  name,
  ...area
}: Common & JSX.IntrinsicElements['textarea']) {
  return (
    <Labelled
      label={label}
      hint={hint}
      error={error}
      name={name}
      control={(marks) => <textarea {...initially(area)} {...marks} />}
    />
  )
}

/** One of a few choices, with its label and fault. */
export function Choice({
  label,
  hint,
  error,
  name,
  options,
  ...select
}: Common &
  JSX.IntrinsicElements['select'] & {
    readonly options: readonly (readonly [value: string, text: string])[]
  }) {
  return (
    <Labelled
      label={label}
      hint={hint}
      error={error}
      name={name}
      control={(marks) => (
        <select {...(select.onChange ? select : { ...select, value: undefined })} {...marks}>
          {options.map(([value, text]) => (
            <option key={value} value={value} selected={value === select.value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  )
}

/** A box that is ticked or not, before its label. */
export function Tick({
  label,
  hint,
  error,
  name,
  ticked,
  onTick,
}: Common & { readonly ticked: boolean; readonly onTick?: (ticked: boolean) => void }) {
  const id = useId()
  const fault = faultAt(error, name)
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          name={name}
          defaultChecked={ticked}
          onChange={({ currentTarget: { checked } }) => onTick?.(checked)}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-note`}
        />
        {label}
      </label>
      <Note id={`${id}-note`} hint={hint} fault={fault} />
    </div>
  )
}

function Note({
  id,
  hint,
  fault,
}: {
  readonly id: string
  readonly hint: ComponentChildren
  readonly fault: string | null
}) {
  return (
    <p id={id} class={fault === null ? 'quiet' : 'fault'}>
      {fault ?? hint}
    </p>
  )
}
