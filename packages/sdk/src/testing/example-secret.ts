/** An endpoint secret for tests, in the form that the service issues. It guards nothing. */
export const exampleSecret = 'whsec_VHJhZGVwb3N0IGV4YW1wbGUgc2VjcmV0IGZvciB0ZXN0cw==';
