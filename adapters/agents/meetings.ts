/** Where several wait for each other. */
export type Meeting = ReturnType<typeof createMeeting>

/** Creates a meeting; whoever is waited for joins before the first of them awaits. */
export function createMeeting() {
  const all: Promise<void>[] = []
  return {
    /** Joins those who are waited for; `arrived` has to be called, and `met` resolves once all have. */
    join() {
      let arrived = () => {}
      all.push(
        new Promise((resolve) => {
          arrived = resolve
        }),
      )
      const met = async () => {
        arrived()
        await Promise.all(all)
      }
      return { arrived, met }
    },
  }
}
