/** What our ids look like, and more; nothing else reaches the store. */
export const idForm = /^[\w-]{1,100}$/
