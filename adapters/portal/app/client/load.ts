/** A script of the page did not come: there is no connection, or the service has been updated since the page was loaded. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'
}

/** Loads a script of the page. Rejects with `NotLoaded` where it does not come. */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new NotLoaded('a script of the page did not come', { cause })
  }
}
