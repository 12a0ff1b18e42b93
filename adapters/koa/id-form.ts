/** What our ids look like, and more; nothing else reaches the store. */
export const idForm = /^[\w-]{1,100}$/

/** Ids that applications choose are any line of text without control characters. */
const ownIdForm = /^[ -~\u0080-\uffff]{1,200}$/
const ownIds: readonly string[] = ['sessionId', 'stepId', 'batchId']

/** What the values of a path's parameter look like. */
export function formOfId(parameter: string): RegExp {
  return ownIds.includes(parameter) ? ownIdForm : idForm
}

/** Whether a parameter's value can be an id. */
export function canBeId(parameter: string, value: string): boolean {
  return formOfId(parameter).test(value)
}
