export const title = "Places";
