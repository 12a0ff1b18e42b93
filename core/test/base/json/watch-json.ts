/** Counts the characters of JSON that are read and written between two pauses, until `end`. */
export function watchJson() {
  const { parse, stringify } = JSON
  let spent = 0
  let most = 0
  let pauses = 0
  const spend = (size: number) => {
    spent += size
    most = Math.max(most, spent)
  }
  JSON.parse = (text: string, ...more) => {
    spend(text.length)
    return parse(text, ...more)
  }
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given)
    spend(text?.length ?? 0)
    return text
  }) as typeof stringify
  return {
    pause: async () => {
      spent = 0
      pauses++
    },
    end: () => {
      Object.assign(JSON, { parse, stringify })
      return { most, pauses }
    },
  }
}
