"""A set of the same shape and the same answers as the lab's quick-photos data: 967 items, of which 20 users, 200 photos, 584
reactions and 163 friendships; jacksonjason has 15 photos, and his photo of 2019-03-03 has 6 reactions."""

import random

PHOTOS = {
    "chasevang": 6, "david25": 12, "david83": 8, "frankhall": 9, "geoffrey32": 13, "haroldwatkins": 12, "jacksonjason": 15,
    "jenniferharris": 7, "john42": 18, "jraymond": 8, "justin17": 9, "kennedyheather": 9, "monica63": 13, "natasha87": 8,
    "nmitchell": 5, "parkjennifer": 12, "ppierce": 11, "tmartinez": 7, "vpadilla": 8, "ylee": 10,
}
POPULAR_PHOTO = "PHOTO#jacksonjason#2019-03-03T18:20:10"
POPULAR_REACTIONS = 6
REACTIONS = 584
FRIENDSHIPS = 163
KINDS = ["+1", "smiley", "sunglasses", "heart"]


def moment(draw):
    return "%04d-%02d-%02dT%02d:%02d:%02d" % (
        draw.choice([2018, 2019]), draw.randint(1, 12), draw.randint(1, 28), draw.randint(0, 23), draw.randint(0, 59), draw.randint(0, 59))


def users(draw):
    for name in PHOTOS:
        yield {"PK": f"USER#{name}", "SK": f"#METADATA#{name}", "username": name, "name": name.title(),
               "email": f"{name}@example.com", "address": f"{draw.randint(1, 999)} Main Street\nTown, ST {draw.randint(10000, 99999)}",
               "birthdate": "19%02d-%02d-%02d" % (draw.randint(10, 99), draw.randint(1, 12), draw.randint(1, 28)),
               "status": "Always taking photos.", "interests": ["sea", "hills", "bread"], "followers": 0, "following": 0}


def photos(draw):
    for name, count in PHOTOS.items():
        times = {POPULAR_PHOTO.rsplit("#", 1)[1]} if name == "jacksonjason" else set()
        while len(times) < count:
            times.add(moment(draw))
        for time in sorted(times):
            yield {"PK": f"USER#{name}", "SK": f"PHOTO#{name}#{time}", "username": name, "timestamp": time,
                   "location": f"s3://quick-photos/photos/{name}/{time}.png", "reactions": dict.fromkeys(KINDS, 0)}


def reactions(draw, taken):
    keys = set()
    names = list(PHOTOS)
    while len(keys) < POPULAR_REACTIONS:
        keys.add((draw.choice(names), draw.choice(KINDS), POPULAR_PHOTO))
    others = [photo for photo in taken if photo != POPULAR_PHOTO]
    while len(keys) < REACTIONS:
        keys.add((draw.choice(names), draw.choice(KINDS), draw.choice(others)))
    for name, kind, photo in sorted(keys):
        yield {"PK": f"REACTION#{name}#{kind}", "SK": photo, "reactingUser": name, "photo": photo, "reactionType": kind,
               "timestamp": moment(draw)}


def friendships(draw):
    pairs = set()
    names = list(PHOTOS)
    while len(pairs) < FRIENDSHIPS:
        followed, following = draw.sample(names, 2)
        pairs.add((followed, following))
    for followed, following in sorted(pairs):
        yield {"PK": f"USER#{followed}", "SK": f"#FRIEND#{following}", "followedUser": followed, "followingUser": following,
               "timestamp": moment(draw)}


def generate():
    draw = random.Random(967)
    taken = list(photos(draw))
    return (list(users(draw)) + taken + list(reactions(draw, [photo["SK"] for photo in taken])) + list(friendships(draw)))


if __name__ == "__main__":
    assert len(generate()) == 967
