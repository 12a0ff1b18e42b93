/** What our ids look like, and more; nothing else reaches the store. */
export const idForm = /^[\w-]{1,100}$/

/** Parameters whose values applications choose. */
const ownIds: readonly string[] = ['sessionId', 'stepId', 'batchId']
const longestOwnId = 200

/** Whether a parameter's value can be an id; those of applications are any line of text. */
export function canBeId(parameter: string, value: string): boolean {
  if (!ownIds.includes(parameter)) return idForm.test(value)
  if (value.length === 0 || value.length > longestOwnId) return false
  return [...value].every((each) => each >= ' ' && each !== '\u007f')
}
